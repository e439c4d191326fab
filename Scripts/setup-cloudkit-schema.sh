#!/usr/bin/env bash
# Sets a CloudKit container's schema up from a .ckdb file: checks, plan, question, import, proof. No Xcode needed.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: setup-cloudkit-schema.sh [--yes] [--accept-risk NAME]... [SCHEMA.ckdb]

Imports SCHEMA.ckdb (default: schema/celestra.ckdb) into the development environment of a container.

  CLOUDKIT_CONTAINER_ID   the container, such as iCloud.com.example.App
  CLOUDKIT_TEAM_ID        the ten characters of the team
  CLOUDKIT_ENVIRONMENT    development (default); for production the Console's steps are printed
  CELESTRA_ADMIN          the tool, if it is not on the PATH

The management token is read from CLOUDKIT_MANAGEMENT_TOKEN or from where 'celestra-admin auth save-token' put it.
It is never an argument. A plan that would lose data or indexes, or widen a grant, names its risks; each must be
accepted by name. Status: 0 done, 1 failed, 4 not permitted, 64 wrong usage, others as of celestra-admin.
TEXT
}

say() { printf '==> %s\n' "$*" >&2; }
# fail STATUS MESSAGE [HINT]
fail() {
  printf 'error: %s\n' "$2" >&2
  [ $# -lt 3 ] || printf '%s\n' "$3" >&2
  exit "$1"
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
schema=
assume_yes=no
risks=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -y | --yes) assume_yes=yes ;;
    --accept-risk)
      [ $# -ge 2 ] || fail 64 "--accept-risk needs the name of a risk"
      risks+=(--accept-risk "$2")
      shift
      ;;
    -*) usage >&2; fail 64 "unknown option '$1'" ;;
    *) [ -z "$schema" ] || fail 64 "one schema file at a time"; schema=$1 ;;
  esac
  shift
done
schema=${schema:-$root/schema/celestra.ckdb}

find_tool() {
  local candidate
  for candidate in "${CELESTRA_ADMIN:-}" "$(command -v celestra-admin || true)" \
    "$root/.build/release/celestra-admin" "$root/.build/debug/celestra-admin"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  fail 1 "celestra-admin was not found" "Build it with $root/Scripts/quickstart, or name it in CELESTRA_ADMIN."
}

check_settings() {
  local container=${CLOUDKIT_CONTAINER_ID:-} team=${CLOUDKIT_TEAM_ID:-}
  [ -n "$container" ] || fail 64 "CLOUDKIT_CONTAINER_ID is not set" "It is shown in the CloudKit Console: iCloud.com.example.App"
  [[ $container =~ ^iCloud\.[A-Za-z0-9.-]+$ ]] ||
    fail 64 "'$container' is not a container id" "A container id begins with 'iCloud.'."
  [ -n "$team" ] || fail 64 "CLOUDKIT_TEAM_ID is not set" "It is shown under Membership details at https://developer.apple.com/account"
  [[ $team =~ ^[A-Z0-9]{10}$ ]] ||
    fail 64 "'$team' is not a team id" "A team id has ten characters, capitals and digits: ABCDE12345."
  case $environment in
    development | production) ;;
    *) fail 64 "CLOUDKIT_ENVIRONMENT is '$environment'; it is development or production" ;;
  esac
}

check_token() {
  local status
  if [ -n "${CLOUDKIT_MANAGEMENT_TOKEN:-}" ]; then return; fi
  status=$("$tool" auth status) || fail 4 "the saved credentials cannot be read"
  grep -qi management <<<"$status" ||
    fail 4 "no management token is at hand" \
      "Make one in the CloudKit Console (account settings, Tokens), then run: $tool auth save-token"
}

run() {
  local status=0
  "$@" || status=$?
  [ "$status" -eq 0 ] || fail "$status" "failed: ${*/#$tool/celestra-admin}" \
    "The lines above say why, and what to do. Then run the script again."
}

environment=${CLOUDKIT_ENVIRONMENT:-development}
tool=$(find_tool)
[ -r "$schema" ] || fail 64 "cannot read the schema file '$schema'"
check_settings
target=(--container "cloudkit:$CLOUDKIT_CONTAINER_ID" --environment "$environment")

say "checking $schema"
run "$tool" schema validate "$schema"

if [ "$environment" = production ]; then
  cat >&2 <<TEXT
CloudKit takes no import in production. Import into development, then in the CloudKit Console
(https://icloud.developer.apple.com) open the container, choose Deploy Schema Changes, read the list, and deploy.
Prove it afterwards with:
  $tool schema diff container:production container:development --exit-code
TEXT
  exit 1
fi
check_token

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say "comparing with $CLOUDKIT_CONTAINER_ID, $environment"
run "$tool" schema plan "$schema" "${target[@]}" --format json --output "$work/plan.json"
status=0
"$tool" schema plan "$schema" "${target[@]}" --exit-code || status=$?
case $status in
  0) say "the schema is up to date"; exit 0 ;;
  2) ;;
  *) fail "$status" "the container's schema could not be compared" "The lines above say why." ;;
esac

if [ "$assume_yes" = no ]; then
  [ -t 0 ] || fail 64 "there is nobody to ask; pass --yes to import without a question"
  read -r -p "Import this into $CLOUDKIT_CONTAINER_ID, $environment? [y/N] " answer
  [[ $answer =~ ^[Yy]([Ee][Ss])?$ ]] || fail 1 "nothing was imported"
fi

say "importing"
run "$tool" schema apply --plan "$work/plan.json" "${target[@]}" --yes ${risks[@]+"${risks[@]}"}

say "reading it back"
run "$tool" schema plan "$schema" "${target[@]}" --exit-code
say "done; the schema is in $CLOUDKIT_CONTAINER_ID, $environment"
