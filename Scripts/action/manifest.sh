# shellcheck shell=bash
# Sourced by plan and apply: the manifest of a plan, by which the job that applies it recognizes the plan of its own run.
# Its lines are the version, the commit, and the SHA-256 of each file. The SHA-256 of the manifest itself is an output of
# the job that plans, so it does not come with the files.

manifest_version='celestra-admin plan 1'

sha256_of() { sha256sum < "$1" | cut -d ' ' -f 1; }

# The commit of this run.
require_commit() {
  [[ ${GITHUB_SHA:-} =~ ^[0-9a-f]{40,64}$ ]] || fail "GITHUB_SHA names no commit; set it to the commit of the checkout"
}

# write_manifest FOLDER
write_manifest() {
  local file
  {
    echo "$manifest_version"
    echo "commit $GITHUB_SHA"
    for file in head.md plan.md schema.json seeds.json; do
      [ ! -f "$1/$file" ] || echo "file $(sha256_of "$1/$file") $file"
    done
  } > "$1/manifest"
}

# Refuses a folder that is not the plan with this digest, made for this run's commit: check_manifest FOLDER DIGEST
check_manifest() {
  local line again='Run all jobs of this workflow again, and review the new plan.'
  [[ $2 =~ ^[0-9a-f]{64}$ ]] || fail "PLAN_DIGEST must be the output 'digest' of the job that planned"
  [ -f "$1/manifest" ] || fail "there is no plan in $PLAN_FOLDER. $again"
  [ "$(sha256_of "$1/manifest")" = "$2" ] || fail "the plan in $PLAN_FOLDER is not the plan that this run made. $again"
  [ "$(head -n 1 "$1/manifest")" = "$manifest_version" ] || fail "the plan was made by another version. $again"
  grep -qx "commit $GITHUB_SHA" "$1/manifest" || fail "the plan was made for another commit than $GITHUB_SHA. $again"
  while IFS= read -r line; do
    case $line in
      'file '*)
        [ "$line" = "file $(sha256_of "$1/${line##* }") ${line##* }" ] ||
          fail "${line##* } was changed after the plan was made. $again"
        ;;
    esac
  done < "$1/manifest"
}

# Whether the plan has a file, such as schema.json: is_planned FOLDER FILE
is_planned() { grep -q "^file [0-9a-f]* $2\$" "$1/manifest"; }

# The risks that a saved plan names, one on a line. The tool indents its JSON, and no text in it contains a line end, so
# these lines are the list `result.risks`.
risks_of() { sed -n '/^    "risks": \[$/,/^    \]/p' "$1" | sed -n 's/^      "\([a-z-]*\)",\{0,1\}$/\1/p'; }

# The number of changes of a schema plan that development refuses, `result.summary.refusedInDevelopment`.
refused_of() { sed -n 's/^      "refusedInDevelopment": \([0-9]*\),\{0,1\}$/\1/p' "$1"; }

# The number of seeds in conflict, `result.conflicts`.
conflicts_of() { sed -n 's/^    "conflicts": \([0-9]*\),\{0,1\}$/\1/p' "$1"; }
