package sensors

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
)

// Feet is the load cells below both feet of a robot with legs: one in each corner of each sole.
type Feet struct {
	Noise      float64 `toml:"noise_n" range:"[0, 1000]" doc:"standard deviation of the force on a cell"`
	Scale      float64 `toml:"scale_error" range:"[0, 1]" doc:"standard deviation of the unknown scale error of each cell"`
	Resolution float64 `toml:"resolution_n" range:"[0, 1000]" doc:"resolution of the force on a cell; 0 for none"`
	Max        float64 `toml:"max_n" range:"(0, 100000]" doc:"largest force that a cell measures"`
}

// SetDefaults sets strain gauges of 40 kg with 24-bit converters. The numbers are guesses.
func (f *Feet) SetDefaults() { *f = Feet{Noise: 0.3, Scale: 0.02, Resolution: 0.01, Max: 400} }

func (*Feet) row() *kind {
	return &kind{rate: 100, reading: FeetReading{}, needs: func(r *physics.Robot) string {
		if _, ok := r.Feet(); !ok {
			return "needs a robot whose file describes two legs with six joints, and collision shapes of the feet"
		}
		return ""
	}}
}

// FeetReading is the forces on the left and on the right foot, as the cells measure them. Forces are along the normal
// of the sole. A centre of pressure is in the frame of the sole: its origin is the middle of the sole, and its axes are
// those of the robot's frame while the joints are at zero. Without a force it is 0. Cells are in the order left back,
// left front, right front, right back of the foot.
type FeetReading struct {
	Force         [2]float64 `json:"force_n" quantity:"foot.left.force foot.right.force" unit:"N"`
	LeftPressure  [2]float64 `json:"left_pressure_m" quantity:"foot.left.x foot.left.y" unit:"m"`
	RightPressure [2]float64 `json:"right_pressure_m" quantity:"foot.right.x foot.right.y" unit:"m"`
	// Torques about the axes x and y of the sole, of a force in the centre of pressure, N m.
	LeftTorque  [2]float64 `json:"-" quantity:"foot.left.torque.x foot.left.torque.y" unit:"Nm"`
	RightTorque [2]float64 `json:"-" quantity:"foot.right.torque.x foot.right.torque.y" unit:"Nm"`
	LeftCells   [4]float64 `json:"left_cells_n" quantity:"foot.left.left_back foot.left.left_front foot.left.right_front foot.left.right_back" unit:"N"`
	RightCells  [4]float64 `json:"right_cells_n" quantity:"foot.right.left_back foot.right.left_front foot.right.right_front foot.right.right_back" unit:"N"`
}

// feet measures the forces on both feet.
type feet struct {
	device
	feet  [2]physics.Foot
	first int // index of the left foot in snapshots
	scale [8]float64
}

func (f *Feet) build(d device, site Site) (Sensor, error) {
	s := &feet{device: d}
	s.feet, _ = site.Robot.Feet()
	for i := range site.Model.Robots {
		if &site.Model.Robots[i] == site.Robot {
			s.first, _ = site.Model.FirstFoot(i)
		}
	}
	for k := 0; k < len(s.scale); k += 2 {
		a, b := d.noise.Normal(uint64(k))
		s.scale[k], s.scale[k+1] = 1+f.Scale*a, 1+f.Scale*b
	}
	return s, nil
}

func (s *feet) Observe(at *Instant, obs *Observation) {
	reading := readingIn[FeetReading](obs)
	*reading = FeetReading{}
	all := at.Snapshot.Feet
	if s.first+2 > len(all) { // of a recording that has none
		return
	}
	cells := [2]*[4]float64{&reading.LeftCells, &reading.RightCells}
	pressures := [2]*[2]float64{&reading.LeftPressure, &reading.RightPressure}
	torques := [2]*[2]float64{&reading.LeftTorque, &reading.RightTorque}
	for side, load := range all[s.first : s.first+2] {
		*cells[side] = onCells(&load, s.feet[side].Half)
		if obs.Level == abstraction.Raw {
			s.measure(cells[side], 4*side, s.noise.Frame(obs.Frame))
			load = ofCells(cells[side], s.feet[side].Half)
		}
		reading.Force[side] = load.Force
		*pressures[side] = load.Pressure
		*torques[side] = [2]float64{load.Force * load.Pressure[1], -load.Force * load.Pressure[0]}
	}
}

// measure replaces the forces on the cells of a foot by what they measure. The argument first is the number of the
// foot's first cell.
func (s *feet) measure(cells *[4]float64, first int, noise random.Source) {
	spec := s.cfg.Feet
	for k := 0; k < len(cells); k += 2 {
		a, b := noise.Normal(uint64(first + k))
		for i, n := range [2]float64{a, b} {
			force := cells[k+i]*s.scale[first+k+i] + n*spec.Noise
			cells[k+i] = quantised(mgl64.Clamp(force, 0, spec.Max), spec.Resolution)
		}
	}
}

// corners are the places of the cells, as multiples of half of the sole.
var corners = [4]mgl64.Vec2{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}}

// onCells returns the forces on the cells of a sole. Four forces do not follow from the three numbers of a load: that
// of a cell is taken to be in proportion to the distances from the opposite edges.
func onCells(load *physics.FootLoad, half mgl64.Vec2) (cells [4]float64) {
	var at mgl64.Vec2
	for k := range at {
		if half[k] > 0 {
			at[k] = mgl64.Clamp(load.Pressure[k]/half[k], -1, 1)
		}
	}
	for i, c := range corners {
		cells[i] = load.Force * (1 + c[0]*at[0]) * (1 + c[1]*at[1]) / 4
	}
	return cells
}

// ofCells returns the load of a sole whose cells feel forces.
func ofCells(cells *[4]float64, half mgl64.Vec2) (load physics.FootLoad) {
	for i, c := range corners {
		load.Force += cells[i]
		for k := range c {
			load.Pressure[k] += cells[i] * c[k] * half[k]
		}
	}
	if !(load.Force > 0) {
		return physics.FootLoad{}
	}
	load.Pressure = load.Pressure.Mul(1 / load.Force)
	return load
}
