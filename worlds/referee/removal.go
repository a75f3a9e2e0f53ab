package referee

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// setRemoval adds to a decision for how long the robot at fault is penalised, if the book has that. Source of the
// times: the parameters of the GameController of the Humanoid Soccer League.
func (r *Referee) setRemoval(d *Decision) {
	offence := r.match.book.offences[d.Rule]
	if offence == "" {
		return
	}
	team := r.match.team(r.match.find(d.Robots[0]))
	d.Removal = game.Removal{Offence: offence, For: r.rules.Removal}
	switch {
	case offence == game.MotionInSet:
		d.Removal.For = r.rules.RemovalSet
	case againstOthers(offence):
		d.Removal.For += time.Duration(*r.removalsOf(team)) * r.rules.RemovalMore
		*r.removalsOf(team)++
	}
	d.Reason += fmt.Sprintf(": it leaves the field for %g s", d.Removal.For.Seconds())
	if d.Command == game.Repair {
		d.Command = game.Penalise
	}
}

// againstOthers reports whether an offence is one against others, which makes the removals of a team longer. The choice
// of these offences is a guess.
func againstOthers(o game.Offence) bool { return o != game.Incapable && o != game.MotionInSet }

func (r *Referee) removalsOf(team physics.Team) *int {
	if team == physics.Magenta {
		return &r.removals[1]
	}
	return &r.removals[0]
}

// remove orders that the robot at fault leaves the field. The rules ignore it from now on.
func (r *Referee) remove(d *Decision, robot int) {
	of := &r.match.model.Robots[robot]
	r.orders = append(r.orders, Order{Command: game.Penalise, Team: of.Team, Number: of.Number, Removal: d.Removal})
	r.match.removed[robot] = true
}
