"""The tables, peers and tools with which `record.py` and `derive.py` record, derive and check the captures."""
