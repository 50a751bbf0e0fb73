#!/bin/bash
# Audits $CAPTURES for the action. Writes atscope.txt, .md, .sarif, .xml and .html, and adds the Markdown to the job's summary.
# The exit status is that of atscope audit; with $BASELINE, that of atscope diff, or 2 if the audit failed to read an input.
set -eu

# shellcheck disable=SC2086
set -- $CAPTURES
if [ -n "$BASELINE" ] && [ $# -ne 1 ]; then
  echo "atscope: a baseline is compared with one capture or folder, not $#; give a folder of captures" >&2
  exit 64
fi
# An audit that cannot run writes no reports: those of an earlier job must not be shown as its own.
rm -f atscope.txt atscope.md atscope.sarif atscope.xml atscope.html atscope-diff.md
status=0
# Text from a capture must not be interpreted as a workflow command.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
# shellcheck disable=SC2086
atscope audit "$@" $ARGUMENTS --min-sessions "$MIN_SESSIONS" -o atscope.txt \
  --report markdown=atscope.md --report sarif=atscope.sarif --report junit=atscope.xml --report html=atscope.html || status=$?
# There are no reports if an input prevents the audit altogether.
[ ! -f atscope.txt ] || cat atscope.txt
[ ! -f atscope.md ] || cat atscope.md >>"$GITHUB_STEP_SUMMARY"
if [ -n "$BASELINE" ]; then
  # With a baseline, only a regression fails the job, not a known failure (status 1); an unreadable input always fails it.
  if [ "$status" -eq 1 ]; then status=0; fi
  compared=0
  # shellcheck disable=SC2086
  atscope diff "$BASELINE" "$@" $ARGUMENTS --min-sessions "$MIN_SESSIONS" --report markdown=atscope-diff.md || compared=$?
  if [ "$compared" -gt "$status" ]; then status=$compared; fi
  [ ! -f atscope-diff.md ] || cat atscope-diff.md >>"$GITHUB_STEP_SUMMARY"
fi
echo "::$token::"
exit "$status"
