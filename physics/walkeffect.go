package physics

import "time"

// WalkErrors are the errors of a velocity at level walk.
type WalkErrors struct {
	Delay    time.Duration `toml:"delay_s" range:"[0, 1]" doc:"time after which a velocity command has an effect"`
	Forward  float64       `toml:"forward" range:"[0, 2]" doc:"velocity forwards, as a share of the commanded one"`
	Backward float64       `toml:"backward" range:"[0, 2]" doc:"velocity backwards, as a share of the commanded one"`
	Sideways float64       `toml:"sideways" range:"[0, 2]" doc:"velocity to a side, as a share of the commanded one"`
	Turn     float64       `toml:"turn" range:"[0, 2]" doc:"turn rate, as a share of the commanded one"`
	Creep    float64       `toml:"creep_m_s" range:"[-0.5, 0.5]" doc:"velocity forwards of the walking robot that no command asks for"`
	Drift    float64       `toml:"drift_deg_s" range:"[-60, 60]" doc:"turn rate of the walking robot that no command asks for"`
	Slip     float64       `toml:"slip_m" range:"[0, 0.1]" doc:"standard deviation of the error of a step, along the floor, forwards and to a side"`
	SlipTurn float64       `toml:"slip_deg" range:"[0, 30]" doc:"standard deviation of the error of a step's turn"`
}

// SetDefaults sets a robot that obeys exactly.
func (w *WalkErrors) SetDefaults() { *w = WalkErrors{Forward: 1, Backward: 1, Sideways: 1, Turn: 1} }

// Sway is the motion of the trunk over the feet of a walking robot, at level walk. It sways sideways and rolls once in
// two steps, and pitches and rises once in each.
type Sway struct {
	Side   float64 `toml:"side" range:"[0, 5]" doc:"sway to the sides of the point of the floor below the trunk, as a share of that of the gait"`
	Height float64 `toml:"height_m" range:"[0, 0.1]" doc:"amplitude of the height"`
	Roll   float64 `toml:"roll_deg" range:"[0, 20]" doc:"amplitude of the roll; the trunk leans to the right while it is farthest to the left"`
	Lag    float64 `toml:"roll_lag_deg" range:"[-180, 180]" doc:"phase by which the roll is late, of 360 for two steps"`
	Pitch  float64 `toml:"pitch_deg" range:"[0, 20]" doc:"amplitude of the pitch of a robot that steps in place"`
	Growth float64 `toml:"pitch_growth" range:"[0, 100]" doc:"by how much more the robot pitches at the drive's max_speed_m_s, as a multiple of pitch_deg; in between it grows with the speed forwards"`
	Lean   float64 `toml:"lean_deg" range:"[-20, 20]" doc:"mean of the pitch, in addition to the gait's trunk_pitch_deg"`
}

// SetDefaults sets the sway of the gait.
func (s *Sway) SetDefaults() { *s = Sway{Side: 1} }

// Fall is when a robot falls over at level walk, and how long it lies.
type Fall struct {
	PerStep float64       `toml:"per_step" range:"[0, 1]" doc:"probability of a fall in a step at the highest speed or turn rate; it falls with the square of both"`
	Push    float64       `toml:"push_m_s" range:"(0, 10]" doc:"change of velocity by pushes and collisions, forwards or backwards, beyond which the robot falls; each step catches half of it"`
	Aside   float64       `toml:"push_aside_m_s" range:"(0, 10]" doc:"likewise to a side"`
	Lie     time.Duration `toml:"lie_s" range:"[0, 600]" doc:"time that the robot lies on the floor before it gets up"`
	Rise    time.Duration `toml:"rise_s" range:"(0, 60]" doc:"time that it takes to get up without an animation"`
}

// SetDefaults sets a robot that falls only by pushes. The numbers are guesses.
func (f *Fall) SetDefaults() {
	*f = Fall{Push: 0.5, Aside: 0.3, Lie: time.Second, Rise: 3 * time.Second}
}
