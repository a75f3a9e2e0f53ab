// Package audit checks the automatic referee after a match: it derives every decision again, from the exact states of
// all steps and the rules as docs/match.md has them, and looks for those that should have been made. It shares no code
// with package referee, and works the other way round: it has the whole match before it, so that it looks for the first
// step of a play in which anything had to be decided, for the last touch from there back, and for what became of a ball
// that its robot had lost.
//
//	report, err := audit.File(ctx, "match.mcap")
//	for _, f := range report.Findings {
//		fmt.Println(f)
//	}
//
// Each decision is compared in full: rule, step, place, team and robots at fault, goal, command, team that it is for,
// place of the ball, and the quantities that it rests on. So is the course of restarts: stop, set piece and start in
// their steps, the ball in its place, the score; and who leaves the field and comes back to it, and where.
//
// Both sides judge the same states, so that steps must be equal. Distances are compared to 1e-6 m. Where a threshold is
// met to within 1e-9 of its value, as rounding may have it either way, both ways are right.
//
// What it does not judge: the sentence of a decision, the place of a robot beside the field among those of others, who
// is on the field where the recording does not tell what was commanded for robots, what robots' own programs or events
// of the world command to the game (Report.Commands counts that), and whether the states are those that the rules of
// physics lead to, which omnipitch replay --check tells.
package audit
