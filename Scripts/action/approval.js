// Whether a reviewer approved this run in an environment. An environment that nobody made or protected lets every job
// pass, so that the job alone proves no approval.
function isApproved(reviews, environment) {
  return reviews.some(
    ({ state, environments }) => state === 'approved' && environments.some(({ name }) => name === environment));
}

async function approval({ github, context, core }) {
  const environment = process.env.ENVIRONMENT;
  const { data } = await github.rest.actions.getReviewsForRun({ ...context.repo, run_id: context.runId });
  core.setOutput('approved', String(isApproved(data, environment)));
}

module.exports = { isApproved, approval };
