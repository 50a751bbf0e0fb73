#!/bin/sh
# Checks what `make dist` and `make deb` write, as users receive it: packages.sh ATSCOPE
#
# - The archives are reproducible. The program needs only glibc, is not larger than the limit below, and has neither RUNPATH nor lazy
#   binding; in a root with only glibc and /proc it writes every golden report. The source archive has what a build needs.
# - The steps of the Homebrew formula except the build work from the source archive.
# - The scripts of the GitHub action and of the GitLab template work with the archives.
# - The Debian package, in a fresh Debian root: lintian finds no errors; the package installs, runs, has its man page and completion, and
#   leaves nothing when it is removed.
# - The steps of the container recipe (Packaging/Dockerfile) work in another fresh Debian root.
#
# Needs Linux, mmdebstrap, lintian and permission to mount; otherwise it reports what is missing and checks nothing.
set -eu

program=$(realpath "$1")
# The largest size in bytes of the program that `make dist` ships, and of one built with LTO=off.
limit=20000000
[ "${LTO:-full}" != off ] || limit=24000000
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
for tool in mmdebstrap lintian dpkg-deb unshare objdump; do
  command -v $tool >/dev/null 2>&1 || { echo "packages: skipped: $tool is not installed"; exit 0; }
done
unshare -m true 2>/dev/null || { echo "packages: skipped: mounting is not permitted here"; exit 0; }

work=$(mktemp -d)
# Jobs in the background have mounts below the folder, so it is removed after they end.
trap 'wait; rm -rf "$work"' EXIT
fail() { echo "packages: $*" >&2; exit 1; }
# Runs a command chrooted into $1, with /proc, /dev/null and the captures there; the mounts end with the command.
inside() {
  root=$1
  shift
  mounted "$root" chroot "$root" "$@"
}
# Runs a command outside of the root $1, with the same mounts in it.
mounted() {
  root=$1
  shift
  unshare -m sh -c 'root=$1; top=$2; shift 2
    mount --make-rprivate / 2>/dev/null || true
    mkdir -p "$root/proc" "$root/captures" "$root/dev"
    mount -t proc proc "$root/proc" && mount --bind "$top/captures" "$root/captures"
    [ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
    exec "$@"' inside "$root" "$top" "$@"
}
# The arguments of the demonstration, and a check of its exit status and report.
demo="--anchors captures/anchors/example-ca.pem captures/demo/demo.pcapng"
judges() {
  status=0
  "$@" >"$work/demo.txt" || status=$?
  [ "$status" -eq 1 ] && grep -q FAIL "$work/demo.txt"
}
begun=$(date +%s)
passed() { echo "packages: $1 ($(($(date +%s) - begun)) s)"; }

# In the background, lintian checks the package and mmdebstrap makes a Debian root.
"$top/Packaging/deb.sh" "$program" "$work" >/dev/null || fail "no package could be made"
package=$(echo "$work"/*.deb)
lintian --fail-on error "$package" >"$work/lintian.txt" 2>/dev/null &
lintian=$!
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
mmdebstrap --quiet --variant=minbase --include=man-db,bash-completion "$suite" "$work/debian" 2>"$work/mmdebstrap.txt" &
debian=$!

# The archives.
"$top/Packaging/dist.sh" "$program" "$work/first" >/dev/null || fail "no archive could be made"
"$top/Packaging/dist.sh" "$program" "$work/second" >/dev/null
(cd "$work/first" && sha256sum --quiet -c SHA256SUMS) || fail "a checksum does not match"
cmp "$work/first/SHA256SUMS" "$work/second/SHA256SUMS" || fail "two archives of one program differ"
archive=$(echo "$work"/first/atscope-*-linux-*.tar.gz)
mkdir "$work/archive" "$work/source"
tar -C "$work/archive" --strip-components=1 -xzf "$archive"
tar -C "$work/source" --strip-components=1 -xzf "$work"/first/atscope-*-source.tar.gz
for file in Package.swift Makefile Packaging/install.sh Sources/Product/ATScopeCommand captures/demo/demo.pcapng; do
  [ -e "$work/source/$file" ] || fail "the source archive has no $file"
done
grep -q "sha256 \"$(sha256sum "$work"/first/atscope-*-source.tar.gz | cut -d ' ' -f 1)\"" "$work/first/atscope.rb" ||
  fail "the formula lacks the digest of the source archive"
shipped=$work/archive/bin/atscope
size=$(stat -c %s "$shipped")
[ "$size" -le $limit ] || fail "the program has $size bytes; $limit at most"
needed=$(objdump -p "$shipped" | awk '$1 == "NEEDED" { print $2 }')
for library in $needed; do
  case $library in libc.so.6 | libm.so.6 | ld-linux*) ;; *) fail "the program needs $library" ;; esac
done
if objdump -p "$shipped" | grep -q -e RUNPATH -e RPATH; then fail "the program has a RUNPATH"; fi
readelf -d "$shipped" | grep -q -e BIND_NOW -e 'Flags:.*NOW' || fail "the program binds lazily"
[ -s "$work/archive/sbom.cdx.json" ] || fail "the archive has no bill of materials"
for file in LICENSES.txt README.md schemas/session.schema.json; do
  [ -s "$work/archive/share/doc/atscope/$file" ] || fail "the archive has no $file"
done
printf 'atscope: \\\n  /nowhere/libunknown.a\n' >"$work/unknown.d"
if python3 "$top/Packaging/licenses.py" "$work/unknown.d" >/dev/null 2>&1; then fail "a library without a license is accepted"; fi
passed "archives are reproducible; $(wc -c <"$archive") bytes packed; the program has $size bytes"

# A root with only glibc and /proc.
bare=$work/bare
for library in $needed ld-linux; do
  path=$(ldd "$shipped" | tr ' \t' '\n\n' | grep "^/.*/$library" | head -n 1)
  [ -z "$path" ] || { mkdir -p "$bare$(dirname "$path")" && cp -L "$path" "$bare$path"; }
done
cp "$shipped" "$bare/atscope"
printf '#!/bin/sh\nexec chroot "%s" /atscope "$@"\n' "$bare" >"$work/in-bare-root"
chmod +x "$work/in-bare-root"
mounted "$bare" python3 "$here/golden.py" --check "$work/in-bare-root" || fail "reports written in a bare root differ from the golden ones"
passed "golden reports in a root with only glibc"

# The formula's steps except the build, from the source archive.
ln -s "$top/.build" "$work/source/.build"
make -s -C "$work/source" install-built ATSCOPE="$program" PREFIX="$work/formula" || fail "the source archive cannot be installed"
"$work/formula/bin/atscope" explain ATS-CIPHER | grep -q ATS-CIPHER || fail "the installed program does not explain ATS-CIPHER"
passed "install from the source archive, as the formula does"

# The action and the template.
python3 "$here/ci_templates.py" "$work/first" || fail "the action or the template does not work"
passed "GitHub action and GitLab template"

# The Debian package.
wait "$lintian" || { cat "$work/lintian.txt"; fail "lintian finds errors"; }
passed "lintian: no errors, $(grep -c '^W:' "$work/lintian.txt" || true) warnings"
wait "$debian" || { cat "$work/mmdebstrap.txt"; fail "no Debian root could be made"; }
debian=$work/debian
cp -a "$debian" "$work/image"
passed "a fresh Debian root"
cp "$package" "$debian/atscope.deb"
files() { (cd "$debian" && find . -path ./proc -prune -o -path ./var -prune -o -path ./captures -prune -o -type f -print | sort); }
files >"$work/before"
inside "$debian" dpkg -i /atscope.deb >/dev/null || fail "the package cannot be installed"
# shellcheck disable=SC2086
judges inside "$debian" atscope $demo || fail "the installed program does not judge the demonstration"
inside "$debian" man atscope >"$work/man.txt" 2>/dev/null || fail "there is no man page"
grep -q 'EXIT STATUS' "$work/man.txt" || fail "the man page is incomplete"
# The completions that bash offers for `atscope expl`.
inside "$debian" bash -c '. /usr/share/bash-completion/bash_completion
  _completion_loader atscope; complete -p atscope >/dev/null
  COMP_WORDS=(atscope expl) COMP_CWORD=1 COMP_LINE="atscope expl" COMP_POINT=12
  _atscope atscope expl atscope; echo "${COMPREPLY[@]}"' >"$work/completion.txt" || fail "bash has no completion"
grep -q explain "$work/completion.txt" || fail "bash does not complete expl to explain"
inside "$debian" dpkg -r atscope >/dev/null || fail "the package cannot be removed"
files >"$work/after"
cmp "$work/before" "$work/after" || fail "the removed package leaves files"
passed "Debian package installed, run and removed"

# The container recipe: ADD and RUN in its base image, and the entry point as its user.
recipe=$top/Packaging/Dockerfile
image=$work/image
mkdir -p "$image/tmp/atscope"
tar -C "$image/tmp/atscope" -xzf "$archive"
inside "$image" sh -ec "$(sed -n 's/^RUN //p' "$recipe")" || fail "the recipe's RUN fails"
user=$(sed -n 's/^USER //p' "$recipe")
entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' "$recipe")
# shellcheck disable=SC2086
judges inside "$image" setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs "$entry" $demo ||
  fail "the container's program does not judge the demonstration"
passed "steps of the container recipe"
echo "packages: 0 faults"
