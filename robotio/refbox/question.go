package refbox

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Question asks a user which robot a command of the box is for. The league's box leaves robotID out of cards and
// repairs.
type Question struct {
	Command game.Command
	Team    physics.Team
	Numbers []int // numbers of the robots that the command can be for, ascending
}

// AnswerTime is the sim time for which a Question waits for its answer. Then the robot with the highest number gets the
// command. The time is a guess: long enough to read the question and to choose a robot.
const AnswerTime = 10 * time.Second

// Question returns the question that waits for an answer, or nil. It may be called from any goroutine.
func (f *Following) Question() *Question { return f.question.Load() }

// Answer answers the question. The next step gives the command to the robot with the number. Answer may be called from
// any goroutine. It returns an error if there is no question, or if the command cannot be for the robot.
func (f *Following) Answer(number int) error {
	q := f.question.Load()
	switch {
	case q == nil:
		return errors.New("the referee box's command has been carried out: there is no question")
	case !slices.Contains(q.Numbers, number):
		return fmt.Errorf("number = %d: must be one of %v", number, q.Numbers)
	}
	f.timers.After(0, func(time.Duration) { f.settle(q, number) })
	return nil
}

// ask gives a command that names no robot to a robot. If somebody can answer, it asks first.
func (f *Following) ask(c game.Command, team physics.Team) {
	if q := f.question.Load(); q != nil { // one question at a time, because commands stay in their order
		f.fallBack(q)
	}
	numbers := f.candidates(c, team)
	if len(numbers) == 0 {
		f.warnings.warn("robot "+string(c), "referee box: %s names no robot, and no robot of %s can get it: it has no "+
			"effect", boxCommands[c], team)
		return
	}
	q := &Question{Command: c, Team: team, Numbers: numbers}
	f.question.Store(q)
	if len(numbers) == 1 || f.cfg.Asks == nil || !f.cfg.Asks() {
		f.fallBack(q)
		return
	}
	f.timers.After(AnswerTime, func(time.Duration) { f.fallBack(q) })
}

// fallBack gives the command of a question to the robot with the highest number. The goalkeeper has number 1, so it is
// the last that leaves.
func (f *Following) fallBack(q *Question) {
	number := q.Numbers[len(q.Numbers)-1]
	if f.settle(q, number) {
		f.warnings.report(briefly, "chosen "+string(q.Command), "referee box: %s names no robot: %s's robot %d gets it, the "+
			"highest number", boxCommands[q.Command], q.Team, number)
	}
}

// settle gives the command of a question to a robot. It returns false if that has happened before.
func (f *Following) settle(q *Question, number int) bool {
	if !f.question.CompareAndSwap(q, nil) {
		return false
	}
	f.do(q.Command, q.Team, number)
	return true
}

// candidates returns the numbers of the robots of a team that a command concerns, ascending: the robots on the field,
// or those off the field for repair if the command ends a repair.
func (f *Following) candidates(c game.Command, team physics.Team) (numbers []int) {
	where := game.Command("")
	if c == game.RepairEnd {
		where = game.Repair
	}
	for i, s := range f.match.Standings() {
		if r := &f.model.Robots[i]; r.Team == team && s.Out == where {
			numbers = append(numbers, r.Number)
		}
	}
	slices.Sort(numbers)
	return numbers
}
