package viewer

import (
	"math"
	"testing"
)

func TestGamepadsAsk(t *testing.T) {
	rest := NoGamepad
	with := func(change func(*Gamepad)) Gamepad {
		g := rest
		change(&g)
		return g
	}
	for name, c := range map[string]struct {
		before, now Gamepad
		want        wish
	}{
		"at rest":           {rest, rest, wish{}},
		"not quite at rest": {rest, with(func(g *Gamepad) { g.LeftX, g.LeftY, g.RightX = 0.1, -0.15, 0.19 }), wish{}},
		"forwards":          {rest, with(func(g *Gamepad) { g.LeftY = -1 }), wish{forward: 1}},
		"half backwards":    {rest, with(func(g *Gamepad) { g.LeftY = 0.6 }), wish{forward: -0.5}},
		"to the right":      {rest, with(func(g *Gamepad) { g.LeftX = 1 }), wish{left: -1}},
		"across, no faster": {rest, with(func(g *Gamepad) { g.LeftX, g.LeftY = -1, -1 }),
			wish{forward: 0.71, left: 0.71}},
		"turns left": {rest, with(func(g *Gamepad) { g.RightX = -1 }), wish{turn: 1}},
		"trigger":    {rest, with(func(g *Gamepad) { g.RightTrigger = 1 }), wish{fast: true}},
		"kicks":      {rest, with(func(g *Gamepad) { g.A = true }), wish{kick: true}},
		"kicks once": {with(func(g *Gamepad) { g.A = true }), with(func(g *Gamepad) { g.A = true }), wish{}},
		"lets go":    {with(func(g *Gamepad) { g.A = true }), rest, wish{}},
		"the rest": {rest, with(func(g *Gamepad) { g.X, g.Y, g.Start = true, true, true }),
			wish{dribble: true, next: true, pause: true}},
		"broken": {rest, with(func(g *Gamepad) { g.LeftX, g.RightX = math.NaN(), math.Inf(1) }),
			wish{turn: math.NaN()}},
	} {
		got := c.now.asks(c.before)
		if name == "broken" {
			if got.forward != 0 || got.left != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		got.forward, got.left, got.turn = got.forward+0, got.left+0, got.turn+0 // no −0
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// A gamepad chooses a robot, drives it beside the keys, dribbles, kicks and pauses.
func TestAGamepadDrives(t *testing.T) {
	v := start()
	g := NoGamepad
	g.LeftY, g.A = -1, true
	v.HandleGamepad(g)
	if s := v.Steering(); s != (Steering{}) || v.TakeKick() {
		t.Errorf("%+v before a robot is chosen", s)
	}
	v.HandleGamepad(NoGamepad)
	g.Y, g.X, g.RightX, g.RightTrigger = true, true, 0.6, 1
	v.HandleGamepad(g)
	if got, want := v.Steering(), (Steering{Robot: "cyan1", Forward: 1, Turn: -0.5, Fast: true,
		Dribble: true}); got != want || !v.TakeKick() {
		t.Errorf("%+v, want %+v and a kick", got, want)
	}
	press(v, "SA")
	if got, want := v.Steering(), (Steering{Robot: "cyan1", Left: 1, Turn: -0.5, Fast: true,
		Dribble: true}); got != want {
		t.Errorf("with keys: %+v, want %+v", got, want)
	}
	g.Start = true
	v.HandleGamepad(g)
	v.HandleGamepad(NoGamepad) // it is unplugged
	if got, want := v.Steering(), (Steering{Robot: "cyan1", Forward: -1, Left: 1, Dribble: true}); got != want ||
		!v.Paused() {
		t.Errorf("unplugged: %+v, want %+v, paused", got, want)
	}
}
