# shellcheck shell=bash
# Sourced by the steps of the Action (action.yml): what they share.
set -euo pipefail

: "${GITHUB_WORKSPACE:=$PWD}" "${GITHUB_STEP_SUMMARY:=/dev/null}" "${GITHUB_OUTPUT:=/dev/null}"
RUNNER_TEMP=${RUNNER_TEMP:-$(mktemp -d)}

# The schema files, one on a line of $SCHEMAS, as an array.
schemas=()
while IFS= read -r line; do
  line=$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' <<<"$line")
  [ -z "$line" ] || schemas+=("$line")
done <<<"${SCHEMAS:-}"

# Ends the step with an error that the page of the run shows.
fail() {
  local message=${*//%/%25}
  echo "::error::${message//$'\n'/%0A}" >&2
  exit 1
}

# An import replaces the whole schema, so a container has one file.
require_one_schema() {
  [ "${#schemas[@]}" -le 1 ] ||
    fail "SCHEMAS names ${#schemas[@]} files, and a container has one schema; run one job for each container"
}

# A checkout that another user made, as in a job's container, is the job's own.
trust_checkout() { git config --global --add safe.directory "$GITHUB_WORKSPACE"; }

# Runs the tool where no file of the checkout configures it: with the settings of the base commit, if there are any.
state=$RUNNER_TEMP/celestra-isolated/.celestra
isolated() {
  local folder=$RUNNER_TEMP/celestra-isolated
  mkdir -p "$folder"
  if [ ! -f "$folder/settings.json" ]; then
    echo '{}' > "$folder/settings.json"
    if [ -n "${BASE:-}" ] && base_has celestra-admin.json; then
      git -C "$GITHUB_WORKSPACE" show "$BASE:celestra-admin.json" > "$folder/settings.json"
    fi
  fi
  (cd "$folder" && CELESTRA_ADMIN_STATE_DIRECTORY=$state celestra-admin "$@" --config "$folder/settings.json")
}

# Whether the base commit has a file. A git that fails is not a file that is missing.
base_has() {
  git -C "$GITHUB_WORKSPACE" rev-parse --verify --quiet "$BASE^{commit}" > /dev/null || {
    echo "::error::the base commit '$BASE' is not in this clone; check out with fetch-depth: 2" >&2
    exit 1
  }
  [ -n "$(git -C "$GITHUB_WORKSPACE" ls-tree --name-only --full-tree "$BASE" -- "$1")" ]
}

# Whether a file is new since the base commit, and was not moved.
is_new() {
  base_has "$1" && return 1
  git -C "$GITHUB_WORKSPACE" diff-index -z --name-only --find-renames --diff-filter=A "$BASE" -- |
    tr '\0' '\n' | grep -Fxq -- "$1"
}
