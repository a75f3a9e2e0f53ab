package gamecontroller

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Numbers are the numbers that the league has given to the teams.
type Numbers struct{ Cyan, Magenta uint8 }

// of returns the number of a team, and NoTeam for none.
func (n Numbers) of(team physics.Team) uint8 {
	switch team {
	case physics.Cyan:
		return n.Cyan
	case physics.Magenta:
		return n.Magenta
	}
	return NoTeam
}

// team returns the team that has a number, or "".
func (n Numbers) team(number uint8) physics.Team {
	switch number {
	case n.Cyan:
		return physics.Cyan
	case n.Magenta:
		return physics.Magenta
	}
	return ""
}

// NumbersOf returns the numbers that a world gives its teams. Both are 0 if it gives none.
func NumbersOf(w *worlds.World) Numbers {
	return Numbers{uint8(w.GameController.Cyan), uint8(w.GameController.Magenta)}
}

// Check returns an error if a world's table gamecontroller is invalid.
func Check(w *worlds.World) error {
	if !w.NoErrorAt("gamecontroller") {
		return nil
	}
	g := &w.GameController
	wrong := func(key string, value any, rule string) error {
		return &schema.Violation{Path: "gamecontroller", Key: key, Value: value, Rule: rule}
	}
	var errs []error
	if _, err := ParseAddr(g.Address); err != nil {
		errs = append(errs, wrong("address", g.Address, err.Error()))
	}
	if Version(g.Version).Size() == 0 {
		errs = append(errs, wrong("version", g.Version, "must be 12, 18, 19 or 20"))
	}
	if (g.Cyan == 0) != (g.Magenta == 0) || g.Cyan != 0 && g.Cyan == g.Magenta {
		errs = append(errs, wrong("magenta", g.Magenta, fmt.Sprintf("must differ from cyan = %d; give both numbers or "+
			"none", g.Cyan)))
	}
	return w.Locate(errors.Join(errs...))
}
