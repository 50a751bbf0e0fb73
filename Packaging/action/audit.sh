#!/bin/bash
# Audits $CAPTURES, for the action: writes atscope.txt, .md, .sarif, .xml and .html, and the Markdown into the job's summary.
# The status is that of atscope audit, or with $BASELINE that of atscope diff.
set -eu

status=0
# Text of a capture must not be taken for a command to the runner.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
# shellcheck disable=SC2086
atscope audit $CAPTURES $ARGUMENTS --min-sessions "$MIN_SESSIONS" -o atscope.txt \
  --report markdown=atscope.md --report sarif=atscope.sarif --report junit=atscope.xml --report html=atscope.html || status=$?
# Where an input prevents the audit altogether, there is no report.
[ ! -f atscope.txt ] || cat atscope.txt
[ ! -f atscope.md ] || cat atscope.md >>"$GITHUB_STEP_SUMMARY"
if [ -n "$BASELINE" ]; then
  # Only what the comparison finds fails the job, not what failed before; an input that cannot be read fails it always.
  if [ "$status" -eq 1 ]; then status=0; fi
  for capture in $CAPTURES; do
    # shellcheck disable=SC2086
    atscope diff "$BASELINE" "$capture" $ARGUMENTS --min-sessions "$MIN_SESSIONS" --report markdown=atscope-diff.md || status=$?
    [ ! -f atscope-diff.md ] || cat atscope-diff.md >>"$GITHUB_STEP_SUMMARY"
  done
fi
echo "::$token::"
exit "$status"
