package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// maxNumber is the largest number that a robot may have. It equals the largest number of robots in a world.
const maxNumber = 500

// shirt is the number of a robot within its team.
type shirt struct {
	team   physics.Team
	number int
}

// assignNumbers gives each robot without a number the next free number of its team, in the order of the file. A robot
// with an extension, as goalkeepers have, gets the number 1. Other robots get numbers from 2 on.
func (w *World) assignNumbers() {
	taken := map[shirt]bool{}
	next := map[physics.Team]int{}
	w.given = nil
	for i := range w.Robots {
		r := &w.Robots[i]
		taken[shirt{r.Team, r.Number}], next[r.Team] = true, 2
		w.given = append(w.given, r.Number != 0)
	}
	for i := range w.Robots {
		r := &w.Robots[i]
		if r.Number != 0 || !w.NoErrorAt(fmt.Sprintf("robot[%d].number", i)) {
			continue
		}
		for next[r.Team] <= maxNumber && taken[shirt{r.Team, next[r.Team]}] {
			next[r.Team]++
		}
		r.Number = next[r.Team]
		if keeper := r.Extension != nil; (keeper || r.Number > maxNumber) && !taken[shirt{r.Team, 1}] {
			r.Number = 1
		}
		taken[shirt{r.Team, r.Number}] = true
	}
}

// NumberAssigned reports whether assignNumbers assigned a robot's number because the file gives none. The argument
// robot is the robot's index.
func (w *World) NumberAssigned(robot int) bool { return robot < len(w.given) && !w.given[robot] }

// validateNumbers reports robots of the same team that have the same number.
func (w *World) validateNumbers() error {
	first := map[shirt]int{}
	var errs []error
	for i := range w.Robots {
		r, at := &w.Robots[i], fmt.Sprintf("robot[%d]", i)
		if !w.NoErrorAt(at+".team") || !w.NoErrorAt(at+".number") || !w.NoErrorAt(at+".model") {
			continue
		}
		s := shirt{r.Team, r.Number}
		have, known := first[s]
		if !known {
			first[s] = i
			continue
		}
		path, key := w.clash(have, i)
		errs = append(errs, &schema.Violation{Path: path, Key: key,
			Rule: fmt.Sprintf("%s and %s of team %s both have number %d", w.Robots[have].Name, r.Name, r.Team,
				r.Number)})
	}
	return errors.Join(errs...)
}

// clash returns the path and key to blame when two robots have the same number; first and second are the robots'
// indices. It blames the later robot. If the world's own file says something only about the number of the earlier
// robot, it blames the earlier robot.
func (w *World) clash(first, second int) (path, key string) {
	at := func(robot int) string { return fmt.Sprintf("robot[%d]", robot) }
	if w.file != nil {
		for _, key := range []string{"number", "team"} {
			for _, robot := range []int{second, first} {
				if w.file.Own(at(robot) + "." + key) {
					return at(robot), key
				}
			}
		}
	}
	return at(second), "number"
}
