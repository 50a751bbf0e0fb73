print("atscope")
