package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// kinds returns the paths of the bodies that can have a kind, with their names and kinds.
func (w *World) kinds() (all []Piece) {
	for o := range w.obstacles {
		all = append(all, Piece{Name: o.Name, kind: o.Kind, Path: o.Path()})
	}
	for i := range w.Props {
		p := &w.Props[i]
		all = append(all, Piece{Name: p.Name, kind: p.Kind, Path: fmt.Sprintf("prop[%d]", i)})
	}
	return append(all, w.Pieces()...)
}

// StillKinds returns the kinds of props, openings, boxes and cylinders, by their names.
func (w *World) StillKinds() map[string]string {
	kinds := map[string]string{}
	for _, b := range w.kinds()[len(w.AllObstacles()):] {
		if b.kind != "" {
			kinds[b.Name] = b.kind
		}
	}
	return kinds
}

// Kinds returns the kinds that the world file gives to its bodies, in alphabetical order, each once.
func (w *World) Kinds() (kinds []string) {
	for _, b := range w.kinds() {
		if b.kind != "" && b.kind != string(abstraction.ObstacleKind) {
			kinds = append(kinds, b.kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// FindBodies implements condition.World.
func (w *World) FindBodies(word string, least int) error {
	if w.hasBody(word) {
		return enough(1, least)
	}
	if word == "ball" {
		return w.FindPart(word)
	}
	n := 0
	if word == string(abstraction.RobotKind) {
		n = len(w.Robots)
	}
	for _, b := range w.kinds() {
		if b.Name == word {
			return enough(1, least)
		}
		if b.form != physics.WallForm && cmp.Or(b.kind, string(abstraction.ObstacleKind)) == word {
			n++
		}
	}
	return enough(n, least)
}

func enough(n, least int) error {
	switch {
	case n == 0:
		return errors.New("there is no such body, and no body of that kind")
	case n < least:
		return fmt.Errorf("is %d body alone", n)
	}
	return nil
}

// validateKinds reports kinds that are those of other things, and kinds that are names of bodies: conditions accept
// both.
func (w *World) validateKinds() error {
	named := map[string]string{"hall": "all that stands still, in conditions"}
	all := w.kinds()
	for _, r := range w.Robots {
		named[r.Name] = "a robot's name"
	}
	for _, b := range all {
		named[b.Name] = "the name of " + b.Path
	}
	for _, word := range strings.Fields("ball ball_beside robot robot_cyan robot_magenta cyan magenta cyan_robot " +
		"magenta_robot cyan_card magenta_card goal goal_post goal_bar") {
		named[word] = "what the simulator calls a part of the game"
	}
	var errs []error
	for _, b := range all {
		if taken := named[b.kind]; b.kind != "" && taken != "" {
			errs = append(errs, &schema.Violation{Path: b.Path, Key: "kind", Value: b.kind, Rule: "is " + taken})
		}
	}
	return errors.Join(errs...)
}
