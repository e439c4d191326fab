#!/usr/bin/env bash
# Sets a CloudKit container's schema up from a .ckdb file: checks it, shows the plan, asks, imports it, and proves that the
# container has it. No Xcode needed.
#
# usage: setup-cloudkit-schema.sh [--yes] [--accept-risk NAME]... [SCHEMA.ckdb]
#
# SCHEMA.ckdb is schema/celestra.ckdb unless another is named. These variables name the rest:
#   CLOUDKIT_CONTAINER_ID      the container, such as iCloud.com.example.App
#   CLOUDKIT_TEAM_ID           the ten characters of the team
#   CLOUDKIT_ENVIRONMENT       development (default); for production the Console's steps are printed
#   CLOUDKIT_MANAGEMENT_TOKEN  the token, unless 'celestra-admin auth save-token' saved it; it is never an argument
#   CELESTRA_ADMIN             the tool, if it is not on the PATH
#
# A plan that would lose data or indexes, or widen a grant, names its risks; each must be accepted by name.
# Status: 0 done, 1 failed, 2 the container has another schema after all, 4 not permitted, 64 wrong usage.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
say() { printf '==> %s\n' "$*" >&2; }
# fail STATUS MESSAGE
fail() { printf 'error: %s\n' "$2" >&2; exit "$1"; }

schema=$root/schema/celestra.ckdb answers=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -y | --yes) answers+=(--yes) ;;
    --accept-risk)
      [ -n "${2:-}" ] || fail 64 "--accept-risk needs the name of a risk"
      answers+=(--accept-risk "$2"); shift ;;
    -*) fail 64 "unknown option '$1'; --help shows the options" ;;
    *) schema=$1 ;;
  esac
  shift
done

tool=
for candidate in "${CELESTRA_ADMIN:-}" celestra-admin "$root"/.build/{release,debug}/celestra-admin; do
  [ -n "$tool" ] || tool=$(command -v -- "$candidate") || true
done
[ -n "$tool" ] || fail 1 "celestra-admin was not found; build it with $root/Scripts/quickstart, or name it in CELESTRA_ADMIN"
[ -n "${CLOUDKIT_CONTAINER_ID:-}" ] || fail 64 "CLOUDKIT_CONTAINER_ID is not set; the CloudKit Console shows it"
target=(--container "cloudkit:$CLOUDKIT_CONTAINER_ID" --environment "${CLOUDKIT_ENVIRONMENT:-development}")

say "checking $schema"
"$tool" schema validate "$schema"

say "comparing with $CLOUDKIT_CONTAINER_ID"
status=0
"$tool" schema plan "$schema" "${target[@]}" --exit-code || status=$?
case $status in
  0) say "the schema is up to date"; exit 0 ;;
  2) ;;
  *) exit "$status" ;;
esac

say "importing"
"$tool" schema apply "$schema" "${target[@]}" ${answers[@]+"${answers[@]}"}

say "reading it back"
"$tool" schema plan "$schema" "${target[@]}" --exit-code
say "done; the schema is in $CLOUDKIT_CONTAINER_ID"
