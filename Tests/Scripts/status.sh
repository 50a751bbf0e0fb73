#!/bin/sh
# Explains the exit status $1 of atscope, and succeeds if the audit ran.
case "$1" in
1) echo "atscope: exit status 1: sessions fail" >&2 ;;
2) echo "atscope: exit status 2: an input could not be read completely; the report above covers the rest" >&2 ;;
*)
  echo "atscope: exit status $1: the audit did not run" >&2
  exit "$1"
  ;;
esac
