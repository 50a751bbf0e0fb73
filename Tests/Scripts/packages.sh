#!/bin/sh
# Checks what `make dist` and `make deb` write, as a user would get it: packages.sh ATSCOPE
#
# - The archive: twice the same bytes; its program needs only glibc, is at most 20 MB and has neither RUNPATH nor lazy binding; in a root
#   with nothing but glibc and /proc it audits captures/ with the bytes that the build's own program writes.
# - The Debian package, in a fresh Debian root: lintian finds no errors; the package installs, runs, has its man page and completion, and
#   leaves nothing when it is removed.
# - The steps of the container recipe (Packaging/Dockerfile), in the same root.
#
# Linux with mmdebstrap, lintian and the rights to mount; otherwise it says what is missing, and checks nothing.
set -eu

program=$1
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
for tool in mmdebstrap lintian dpkg-deb unshare objdump; do
  command -v $tool >/dev/null 2>&1 || { echo "packages: skipped: there is no $tool here"; exit 0; }
done
unshare -m true 2>/dev/null || { echo "packages: skipped: mounting is not permitted here"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "packages: $*" >&2; exit 1; }
# Runs a command in a root of its own, with /proc and the captures; the mounts end with it.
inside() {
  root=$1
  shift
  unshare -m sh -c 'root=$1; top=$2; shift 2
    mount --make-rprivate / 2>/dev/null || true
    mkdir -p "$root/proc" "$root/captures" "$root/dev"
    mount -t proc proc "$root/proc" && mount --bind "$top/captures" "$root/captures"
    [ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
    exec chroot "$root" "$@"' inside "$root" "$top" "$@"
}

# The archive.
"$top/Packaging/dist.sh" "$program" "$work/first" >/dev/null
"$top/Packaging/dist.sh" "$program" "$work/second" >/dev/null
cmp "$work/first"/*.tar.gz "$work/second"/*.tar.gz || fail "two archives of one program differ"
(cd "$work/first" && sha256sum --quiet -c SHA256SUMS) || fail "the checksum does not fit"
mkdir "$work/archive"
tar -C "$work/archive" --strip-components=1 -xzf "$work/first"/*.tar.gz
shipped=$work/archive/bin/atscope
size=$(stat -c %s "$shipped")
[ "$size" -le 20000000 ] || fail "the program has $size bytes; 20,000,000 at most"
needed=$(objdump -p "$shipped" | awk '$1 == "NEEDED" { print $2 }')
for library in $needed; do
  case $library in libc.so.6 | libm.so.6 | ld-linux*) ;; *) fail "the program needs $library" ;; esac
done
objdump -p "$shipped" | grep -q -e RUNPATH -e RPATH && fail "the program has a RUNPATH"
objdump -p "$shipped" | grep -q -e BIND_NOW -e 'FLAGS_1.*0x.*1$' || fail "the program binds lazily"
for file in LICENSES.txt README.md schemas/session.schema.json; do
  [ -s "$work/archive/share/doc/atscope/$file" ] || fail "the archive has no $file"
done

# A root with nothing but glibc and /proc.
bare=$work/bare
for library in $needed ld-linux; do
  path=$(ldd "$shipped" | tr ' \t' '\n\n' | grep "^/.*/$library" | head -n 1)
  [ -z "$path" ] || { mkdir -p "$bare$(dirname "$path")" && cp -L "$path" "$bare$path"; }
done
cp "$shipped" "$bare/atscope"
audit="--format ndjson captures"
inside "$bare" /atscope $audit >"$work/bare.ndjson" 2>"$work/bare.errors" || [ $? -le 2 ] || fail "the program failed in a bare root"
(cd "$top" && "$program" $audit) >"$work/own.ndjson" 2>"$work/own.errors" || [ $? -le 2 ] || fail "the build's program failed"
[ "$(wc -l <"$work/own.ndjson")" -gt 100 ] || fail "the captures were not audited"
cmp "$work/bare.ndjson" "$work/own.ndjson" || fail "in a bare root the records differ"
cmp "$work/bare.errors" "$work/own.errors" || fail "in a bare root the messages differ"

# The Debian package.
"$top/Packaging/deb.sh" "$program" "$work" >/dev/null
package=$(echo "$work"/*.deb)
lintian --fail-on error "$package" 2>/dev/null || fail "lintian finds errors"
debian=$work/debian
mmdebstrap --quiet --variant=minbase --include=man-db,bash-completion bookworm "$debian" || fail "no Debian root could be made"
cp "$package" "$debian/atscope.deb"
inside "$debian" sh -c 'find / -xdev -path /proc -prune -o -type f -print | sort' >"$work/before"
inside "$debian" dpkg -i /atscope.deb >/dev/null || fail "the package cannot be installed"
status=0
inside "$debian" atscope --anchors captures/anchors/example-ca.pem captures/demo/demo.pcapng >"$work/demo.txt" || status=$?
[ "$status" -eq 1 ] && grep -q FAIL "$work/demo.txt" || fail "the installed program does not judge the demonstration"
inside "$debian" man atscope 2>/dev/null | grep -q 'atscope' || fail "there is no man page"
inside "$debian" bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader atscope; complete -p atscope' >/dev/null ||
  fail "bash completes nothing"
inside "$debian" dpkg -r atscope >/dev/null || fail "the package cannot be removed"
inside "$debian" sh -c 'find / -xdev -path /proc -prune -o -type f -print | sort' >"$work/after"
grep -v -e /var/ -e /captures/ "$work/before" >"$work/before.files"
grep -v -e /var/ -e /captures/ "$work/after" >"$work/after.files"
cmp "$work/before.files" "$work/after.files" || fail "the removed package leaves files"

# The container recipe: what its second image is made of.
cp -R "$work/archive/." "$debian/usr/local/"
inside "$debian" useradd --no-create-home atscope || fail "the recipe's user cannot be made"
status=0
inside "$debian" setpriv --reuid atscope --regid atscope --clear-groups --no-new-privs \
  atscope --anchors captures/anchors/example-ca.pem captures/demo/demo.pcapng >"$work/image.txt" || status=$?
[ "$status" -eq 1 ] && cmp "$work/image.txt" "$work/demo.txt" || fail "the container's program judges otherwise"

echo "packages: archive ($size bytes of program), Debian package and container recipe: 0 faults"
