package action

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// Push lets a force act at the centre of mass of the ball, a robot or an obstacle, and a torque, both in W. A ball that
// a robot holds, and that friction wheels do not hold, does not give way.
type Push struct {
	Name string        `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	FX   float64       `toml:"fx_n" range:"[-100000, 100000]" doc:"force, towards the goal that cyan attacks"`
	FY   float64       `toml:"fy_n" range:"[-100000, 100000]" doc:"force, to the left of that direction"`
	FZ   float64       `toml:"fz_n" range:"[-100000, 100000]" doc:"force upwards"`
	TX   float64       `toml:"tx_nm" range:"[-100000, 100000]" doc:"torque about x"`
	TY   float64       `toml:"ty_nm" range:"[-100000, 100000]"`
	TZ   float64       `toml:"tz_nm" range:"[-100000, 100000]"`
	From time.Duration `toml:"from_s" range:"[0, 1000000]" doc:"sim time at which it begins; a time that has passed: at once"`
	For  time.Duration `toml:"for_s" range:"[-1000000, 1000000]" doc:"duration, at least one step; 0: no push; negative: until stop_pushes"`
}

func (p *Push) Validate(w World) error { return violation("name", p.Name, w.FindBody(p.Name)) }

func (p *Push) Do(s Simulation) error {
	return s.Push(p.Name, mgl64.Vec3{p.FX, p.FY, p.FZ}, mgl64.Vec3{p.TX, p.TY, p.TZ}, p.From, p.For)
}

// StopPushes ends all pushes of the ball, a robot or an obstacle, and those that have not yet begun.
type StopPushes struct {
	Name string `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
}

func (p *StopPushes) Validate(w World) error { return violation("name", p.Name, w.FindBody(p.Name)) }
func (p *StopPushes) Do(s Simulation) error  { return s.StopPushes(p.Name) }
