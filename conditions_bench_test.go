package omnipitch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// fifty are fifty conditions of all kinds that need no sensors: half of them in events, half in expectations. None
// becomes true.
func fifty() string {
	kinds := []string{
		`in_area = { name = "cyan%d", area = "magenta_goal" }`,
		`in_area = { name = "ball", area = "cyan_goal" }, for_s = %d`,
		`near = { name = "ball", of = "magenta%d", within_m = 0.01 }`,
		`not = { apart = { names = ["ball", "magenta1", "cyan%d"], at_least_m = 0.1 } }, for_s = 1000`,
		`not = { line_of_sight = { from = "magenta%d", to = "magenta1" } }, for_s = 1000`,
		`contact = { name = "cyan%d", with = "ball" }, for_s = 1000`,
		`speed = { name = "magenta%d", over_m_s = 50 }`,
		`ball_held = { robot = "cyan%d" }, for_s = 1000`,
		`score = { team = "cyan", at_least = 9%d }`,
		`game_state = { half = "game_over" }, for_s = %d`,
		`level = { robot = "magenta%d", sensor = "omni", is = "truth" }`,
		`happened = { event = "never", times = %d }`,
	}
	var b strings.Builder
	b.WriteString("[[event]]\nname = \"never\"\nat_s = 1000000\nplace = { name = \"ball\" }\n")
	for i := range 50 {
		c := fmt.Sprintf(kinds[i/2%len(kinds)], 2+i/20)
		if i%2 == 0 {
			fmt.Fprintf(&b, "[[event]]\nwhen = { %s }\nplace = { name = \"ball\" }\n", c)
		} else {
			fmt.Fprintf(&b, "[[expect]]\nname = \"x%d\"\neventually = { %s }\n", i, c)
		}
	}
	return b.String()
}

// tenDriving returns a Sim of ten driving robots on ODE, without listeners.
func tenDriving(b *testing.B, more string) *Sim {
	b.Helper()
	world, err := worlds.Parse("bench.toml", []byte("name = \"bench\"\ninclude = [\"ten-robots\"]\n"+more))
	if err != nil {
		b.Fatal(err)
	}
	for i := range world.Robots {
		for k := range world.Robots[i].Sensors {
			if c := &world.Robots[i].Sensors[k]; c.Kind.TakesImages() {
				c.Level = "objects"
			}
		}
	}
	sim, err := New(world, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(sim.Close)
	for i := range world.Robots {
		if err := sim.Do(&action.Drive{Robot: world.Robots[i].Name, VX: 1, Omega: 2}); err != nil {
			b.Fatal(err)
		}
	}
	for range 200 {
		if err := sim.Step(); err != nil {
			b.Fatal(err)
		}
	}
	return sim
}

// BenchmarkConditions measures a step of ten robots on ODE without conditions, a step with fifty conditions, and the
// share of the conditions.
func BenchmarkConditions(b *testing.B) {
	run := func(name, more string, step func(*Sim) error) {
		b.Run(name, func(b *testing.B) {
			sim := tenDriving(b, more)
			b.ReportAllocs()
			for b.Loop() {
				if err := step(sim); err != nil {
					b.Fatal(err)
				}
			}
			open := 0
			for _, e := range sim.Match().Expectations() {
				if !e.Decided {
					open++
				}
			}
			if more != "" && open != 25 {
				b.Fatalf("%d of 25 expectations are open", open)
			}
		})
	}
	run("none", "", (*Sim).Step)
	run("fifty", fifty(), (*Sim).Step)
	run("fifty-alone", fifty(), func(s *Sim) error { s.match.Judge(); return s.match.Happen() })
}
