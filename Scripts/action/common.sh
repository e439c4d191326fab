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

# Shows a message on the page of the run, at a file if one is named: annotate LEVEL FILE MESSAGE
annotate() {
  local file=${2//%/%25} message=${*:3}
  file=${file//:/%3A} message=${message//%/%25}
  echo "::$1${file:+ file=${file//,/%2C}}::${message//$'\n'/%0A}"
}

# Ends the step with an error that the page of the run shows.
fail() { annotate error '' "$@" >&2; exit 1; }

# An import replaces the whole schema, so a container has one file.
require_one_schema() {
  [ "${#schemas[@]}" -le 1 ] ||
    fail "SCHEMAS names ${#schemas[@]} files, and a container has one schema; run one job for each container"
}

# The only git of the steps. It gets no secret, searches for no repository, and starts nothing that the configuration of
# a repository names: the checkout may contain a repository as ordinary files.
plain_git() {
  env -i PATH="$PATH" HOME="${HOME:-/}" LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 \
    GIT_ALLOW_PROTOCOL=none GIT_NO_REPLACE_OBJECTS=1 GIT_GRAFT_FILE=/dev/null \
    git -C / --no-pager --literal-pathspecs -c core.fsmonitor= -c core.hooksPath=/dev/null \
    -c safe.bareRepository=explicit -c advice.graftFileDeprecated=false "$@"
}

# Reads objects of the checkout's repository: only rev-parse, ls-tree and cat-file.
checkout_git() { plain_git --git-dir="$GITHUB_WORKSPACE/.git" --work-tree="$GITHUB_WORKSPACE" "$@"; }

# Enters the checkout. One that another user made, as in a job's container, is the job's own.
enter_checkout() {
  cd "$GITHUB_WORKSPACE"
  plain_git --git-dir=/dev/null config --global --add safe.directory "$GITHUB_WORKSPACE"
}

# Runs the tool where no file of the checkout configures it: with the settings of the base commit, if there are any.
state=$RUNNER_TEMP/celestra-isolated/.celestra
isolated() {
  local folder=$RUNNER_TEMP/celestra-isolated
  mkdir -p "$folder"
  if [ ! -f "$folder/settings.json" ]; then
    echo '{}' > "$folder/settings.json"
    if [ -n "${BASE:-}" ] && base_has celestra-admin.json; then
      checkout_git cat-file blob "$(base_commit):celestra-admin.json" > "$folder/settings.json"
    fi
  fi
  {
    (cd "$folder" && CELESTRA_ADMIN_STATE_DIRECTORY=$state celestra-admin "$@" --config "$folder/settings.json") \
      2>&1 >&3 3>&- | portable >&2
  } 3>&1
}

# Leaves out this runner's folders, so that what is printed can be pasted in a checkout, beside the history of apply.
portable() {
  sed -e 's|celestra-admin undo|& --history celestra-history|' -e "s|[ ]--config '\{0,1\}$RUNNER_TEMP/celestra-isolated/settings.json'\{0,1\}||g" -e "s|$GITHUB_WORKSPACE/||g"
}

# Adds a file to the page of the run. Of one above 1 MiB, which GitHub does not show, only the head: summarize FILE [HEAD]
summarize() {
  if [ "$(cat -- "$GITHUB_STEP_SUMMARY" "$1" | wc -c)" -le 1000000 ]; then
    cat "$1" >> "$GITHUB_STEP_SUMMARY"
  else
    { cat "${2:-/dev/null}"; echo 'The rest is too long for this page: read it in the log of this step.'; } >> "$GITHUB_STEP_SUMMARY"
    cat "$1"
  fi
}

# Prints the id of the base commit.
base_commit() {
  checkout_git rev-parse --verify --quiet "$BASE^{commit}" || {
    annotate error '' "the base commit '$BASE' is not in this clone; use fetch-depth: 2, in a merge queue 0" >&2
    return 1
  }
}

# Whether the base commit has a file. A git that fails is not a file that is missing.
base_has() {
  local commit found
  commit=$(base_commit) || exit 1
  found=$(checkout_git ls-tree --name-only --full-tree "$commit" -- "$1") || exit 1
  [ -n "$found" ]
}

# Whether the base commit lacks a schema file: the tool finds it there under no earlier name either. It lacks all of a submodule.
is_new() {
  local answer
  base_has "$1" && return 1
  answer=$(celestra-admin schema inspect "git:$BASE:$1" 2> /dev/null) && return 1
  grep -q '"code": "not-in-git"' <<<"$answer" || {
    { annotate error "$1" 'the base commit cannot be read'; echo "$answer"; } >&2
    exit 1
  }
}
