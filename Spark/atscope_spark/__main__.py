"""``python -m atscope_spark``, for ``spark-submit``: reads captures into the tables of a lake, judges their sessions, and compares."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from .comparing import compare
from .options import OptionError, Policy
from .runner import ProgramError
from .tables import ingest, inputs, judge_table, judgements, sessions, watch


def _policy_options(parser: argparse.ArgumentParser, prefix: str = "", what: str = "") -> None:
    for name in ("os", "context", "system-anchors", "ct-log-list", "at", "assume"):
        parser.add_argument(f"--{prefix}{name}", help=f"as for atscope audit{what}")
    for name in ("info-plist", "anchors", "intermediates", "revocations", "chain"):
        parser.add_argument(f"--{prefix}{name}", action="append", help=f"as for atscope audit{what}; may be repeated")


def _policy(arguments: argparse.Namespace, prefix: str = "") -> Policy:
    names = ("os", "info_plist", "context", "anchors", "system_anchors", "intermediates", "ct_log_list", "revocations", "chain", "at", "assume")
    return Policy(**{name: getattr(arguments, prefix + name) for name in names})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m atscope_spark", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--program", default="atscope", help="the program: a path, or a name shipped with --archives or on PATH")

    reading = commands.add_parser("ingest", parents=[common], help="read new and changed captures into the tables")
    reading.add_argument("source", help="a file, folder or prefix: a path, or a URI of s3, gs or hdfs")
    reading.add_argument("lake", help="the folder of the tables: a path or URI that Spark can open")
    reading.add_argument("--unit", help="file (default), folder, or a regular expression whose first group names the unit")
    reading.add_argument("--glob", help="read only files whose name matches; with a slash, whose path below the source matches")
    reading.add_argument("--keylog", help="a key log that every executor can open")
    reading.add_argument("--files-per-task", type=int, help="the maximum number of captures per task (default: 500)")
    reading.add_argument("--bytes-per-task", type=int, help="the maximum number of bytes per task (default: 256 MiB)")
    reading.add_argument("--seconds", type=float, help="seconds without progress after which a process is killed (default: 3600)")
    reading.add_argument("--memory", type=int, help="the address-space limit of a process in bytes (default: 4 GiB)")
    reading.add_argument("--stream-bytes", type=int, help="pipe larger captures in object storage instead of copying them (default: 8 GiB)")
    reading.add_argument("--endpoint", help="the endpoint of an S3 server other than Amazon's")
    reading.add_argument("--region", help="the region of the bucket")
    reading.add_argument("--settle", type=float, default=0, help="leave captures that changed within this many seconds for the next job")
    reading.add_argument("--watch", type=float, metavar="SECONDS", help="look for new captures again SECONDS after each round, without end")

    judging = commands.add_parser("judge", parents=[common], help="judge the sessions of the tables under a policy; no capture is read")
    judging.add_argument("lake")
    _policy_options(judging)

    comparing = commands.add_parser("compare", parents=[common], help="list what changed between two lakes or policies, like atscope diff")
    comparing.add_argument("baseline", help="the folder of the earlier tables")
    comparing.add_argument("current", help="the folder of the current tables; may be the same")
    comparing.add_argument("--partitions", type=int, default=1, help="the number of processes that compare (default: 1)")
    _policy_options(comparing)
    _policy_options(comparing, "baseline-", ", for the baseline; without --baseline options, both sides have the same policy")
    return parser


def _ingest(spark: SparkSession, arguments: argparse.Namespace) -> int:
    names = ("unit", "glob", "keylog", "files_per_task", "bytes_per_task", "seconds", "memory", "stream_bytes", "endpoint", "region")
    options: dict[str, Any] = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    options["program"] = arguments.program
    if arguments.watch is not None:
        rounds = watch(spark, arguments.source, arguments.lake, every=arguments.watch, settle=arguments.settle, **options)
    else:
        rounds = iter([ingest(spark, arguments.source, arguments.lake, settle=arguments.settle, **options)])
    for done in rounds:
        print(f"ingest: units read {done.units}, already in the tables {done.known}", flush=True)
        if done.ingest_id is not None:
            own = inputs(spark, arguments.lake).where(F.col("ingest_id") == done.ingest_id)
            for row in own.where("error IS NOT NULL OR failure IS NOT NULL").limit(20).collect():
                what = row["error"]["text"] if row["error"] else row["failure"]["stderr"] or "the program failed"
                print(f"ingest: {row['capture_uri'] or row['member']}: {what}", file=sys.stderr)
    return 0


def _judge(spark: SparkSession, arguments: argparse.Namespace) -> int:
    policy = _policy(arguments)
    policy_id = judge_table(spark, arguments.lake, program=arguments.program, **vars(policy))
    print(f"judge: policy_id {policy_id}")
    for row in judgements(spark, arguments.lake, policy_id).groupBy("verdict").count().orderBy("verdict").collect():
        print(f"judge: {row['verdict']} {row['count']}")
    return 0


def _compare(spark: SparkSession, arguments: argparse.Namespace) -> int:
    before = _policy(arguments, "baseline_")
    changes = compare(
        sessions(spark, arguments.baseline), sessions(spark, arguments.current), _policy(arguments), None if before == Policy() else before,
        program=arguments.program, partitions=arguments.partitions,
    )
    status = 0
    for row in changes.where(F.col("list") != "commonHosts").toLocalIterator():
        print(f"{row['list']}\t{row['record']}")
        status = 1 if row["list"] == "regressions" else status
    return status


def main(given: Sequence[str] | None = None) -> int:
    """Runs a command. Returns 0; 1 if ``compare`` found a regression; 64 if the program refuses an option."""
    arguments = _parser().parse_args(given)
    spark = SparkSession.builder.appName(f"atscope {arguments.command}").getOrCreate()
    try:
        return {"ingest": _ingest, "judge": _judge, "compare": _compare}[arguments.command](spark, arguments)
    except (OptionError, ProgramError) as error:
        print(error, file=sys.stderr)
        return 64


if __name__ == "__main__":
    sys.exit(main())
