// Writes the plan as a comment on the pull request: into the Action's own comment, or a new one.
const fs = require('fs');

const mark = '<!-- celestra-admin plan -->';
// GitHub refuses more.
const maxLength = 65536;

// The head names the risks, and is shown in any case.
function bodyOf(plan, head, runURL) {
  const body = `${mark}\n${plan}`;
  if (body.length <= maxLength) return body;
  return `${mark}\n${head}The plan is too long for a comment. [The run](${runURL}) has all of it.\n`;
}

// Anybody may begin a comment with the mark, and edit it later. The first line names the container: a pull request can have
// a plan for each of several.
function isOwn(comment, head) {
  return comment.user?.type === 'Bot' && comment.user?.login === 'github-actions[bot]' &&
    comment.body?.startsWith(`${mark}\n${head.split('\n', 1)[0]}\n`);
}

async function commentPlan({ github, context }) {
  const [plan, head] = ['plan.md', 'head.md'].map((name) => fs.readFileSync(`${process.env.PLAN_FOLDER}/${name}`, 'utf8'));
  const { serverUrl, runId, repo } = context;
  const body = bodyOf(plan, head, `${serverUrl}/${repo.owner}/${repo.repo}/actions/runs/${runId}`);
  const target = { ...repo, issue_number: context.issue.number };
  const comments = await github.paginate(github.rest.issues.listComments, target);
  const own = comments.find((comment) => isOwn(comment, head));
  if (own) await github.rest.issues.updateComment({ ...repo, comment_id: own.id, body });
  else await github.rest.issues.createComment({ ...target, body });
}

module.exports = { bodyOf, isOwn, commentPlan };
