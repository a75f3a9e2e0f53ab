package omnipitch_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
)

// places are the worlds whose maps are compared with laser scans.
var places = map[string]string{
	"field": `
name = "field"
ball = { x_m = 8.5, y_m = 5.5 }
[[robot]]
name = "r"
model = "differential"
sensor = [{ name = "laser", level = "truth", rate_hz = 200, laser = { min_m = 0, max_m = 100 } }]
[[prop]]
for_each = [
  { n = 1, x = 2, y = 1, turn = 20 },
  { n = 2, x = -3, y = 4, turn = 90 },
  { n = 3, x = 0, y = -4.0, turn = 45 },
]
name = "bench{n}"
file = "props/bench.gltf"
hang = { x_m = "{x}", y_m = "{y}", yaw_deg = "{turn}" }
`,
	"pieces": `
name = "pieces"
ball = { x_m = 8.5, y_m = 5.5 }
[[robot]]
name = "r"
model = "differential"
sensor = [{ name = "laser", level = "truth", rate_hz = 200, laser = { min_m = 0, max_m = 100 } }]
[[wall]]
points = [[-8, -5], [0, -5], [4, -1.3], [4, 4], [-8, 4]]
closed = true
opening = [
  { segment = 0, at_m = 3 },
  { segment = 2, at_m = 2, width_m = 2, bottom_m = 1, top_m = 2 },
]
[[wall]]
points = [[-3, 4], [-3.2, 0]]
thickness_m = 0.03
[[box]]
name = "shelf"
pose = { x_m = -6, y_m = 2, heading_deg = 33 }
size_m = [2, 0.4, 2]
[[box]]
name = "table"
pose = { x_m = 1, y_m = 1 }
z_m = 0.7
size_m = [2, 1, 0.05]
[[cylinder]]
name = "column"
pose = { x_m = 0, y_m = -2 }
radius_m = 0.313
height_m = 2.5
`,
}

// TestMapAgreesWithLaser puts a robot on many free cells of the map of its place. Every beam must end within a cell of
// an occupied cell. Where a beam passes an occupied cell, a surface must be within the cell.
func TestMapAgreesWithLaser(t *testing.T) {
	for name, text := range places {
		t.Run(name, func(t *testing.T) {
			w := simtest.Parse(t, text)
			agree(t, w, must.Get(occupancy.Of(w.Model(), 0.101, 0.05))(t))
		})
	}
	t.Run("office", func(t *testing.T) {
		w := simtest.World(t, "office", func(w *worlds.World) { w.Obstacles = nil }, simtest.AtLevel(abstraction.Truth))
		w.Robots[0].Player = nil
		l := simtest.Sensor(t, w, "robot1", "laser")
		l.Rate, l.Laser.Min, l.Laser.Max = 200, 0, 100
		agree(t, w, must.Get(occupancy.Of(w.Model(), w.LaserHeight(), 0.05))(t))
	})
}

// TestMapsComeBack checks that the map of a world whose walls are an exported map is that map within a cell, and agrees
// with its laser, too.
func TestMapsComeBack(t *testing.T) {
	for name, text := range places {
		t.Run(name, func(t *testing.T) {
			first := must.Get(occupancy.Of(simtest.Parse(t, text).Model(), 0.101, 0.05))(t)
			var image, yaml bytes.Buffer
			must.Do(t, first.WritePGM(&image))
			must.Do(t, first.WriteYAML(&yaml, "map.pgm"))
			bundle := worlds.Bundle{"map.yaml": yaml.Bytes(), "map.pgm": image.Bytes(), "world.toml": []byte(imported)}
			w := must.Get(worlds.LoadBundle(bundle))(t)
			second := must.Get(occupancy.Of(w.Model(), 0.101, 0.05))(t)
			for _, pair := range [][2]*occupancy.Grid{{first, second}, {second, first}} {
				for i, v := range pair[0].Cells {
					at := mgl64.Vec2{float64(i%first.Width) + 0.5, float64(i/first.Width) + 0.5}
					if d := toOccupied(pair[1], first.World(at)); v == occupancy.Occupied && !(d <= 1.5) {
						t.Fatalf("the cell at %.2f is %.1f cells from the other map's cells, want at most 1", first.World(at), d-0.5)
					}
				}
			}
			agree(t, w, second)
		})
	}
}

// imported is a world with the walls of a map.
const imported = `
name = "imported"
ball = { x_m = 8.5, y_m = 5.5 }
[map]
file = "map.yaml"
[[robot]]
name = "r"
model = "differential"
sensor = [{ name = "laser", level = "truth", rate_hz = 200, laser = { min_m = 0, max_m = 100 } }]
`

// agree compares a map with scans of the laser of the first robot.
func agree(t *testing.T, w *worlds.World, grid *occupancy.Grid) {
	t.Helper()
	const scans, most = 30, 5
	solids := w.Model().StaticBoxes()
	sim, robot := simtest.New(t, w, omnipitch.Options{}), w.Robots[0].Name
	var free []int
	for i, v := range grid.Cells {
		if v == occupancy.Free {
			free = append(free, i)
		}
	}
	r := rand.New(rand.NewPCG(1, 0))
	beams, worst, wrong := 0, 0.0, 0
	var s sensors.LaserScan
	sim.On(robot, "laser", func(o *sensors.Observation) {
		s = *o.Reading.(*sensors.LaserScan)
		s.Ranges = slices.Clone(s.Ranges)
	})
	mount := simtest.Sensor(t, w, robot, "laser").Mount.Pose()
	for scan := 0; scan < scans && wrong < most; scan++ {
		i := free[r.IntN(len(free))]
		at := grid.World(mgl64.Vec2{float64(i%grid.Width) + r.Float64(), float64(i/grid.Width) + r.Float64()})
		sim.Must(&action.Place{Name: robot, X: at[0], Y: at[1], Heading: 7 * r.Float64()})
		sim.Steps(1)
		poseWS := s.PoseWB.Mul(mount)
		for k, length := range s.Ranges {
			sin, cos := math.Sincos(s.First + float64(k)*s.Step)
			along := poseWS.Rotate(mgl64.Vec3{cos, sin, 0}).Vec2()
			from := poseWS.Pos.Vec2()
			end := from.Add(along.Mul(length))
			if ball := sim.Truth().Ball.PosW.Vec2(); math.IsInf(length, 0) || end.Sub(ball).Len() < 0.15 {
				continue
			}
			beams++
			d := toOccupied(grid, end)
			if worst = max(worst, d); !(d <= 1) {
				wrong++
				t.Errorf("a beam from %.3f along %.3f ends %.2f cells from occupied cells, want at most 1", from, along, d)
			}
			// the way up to a cell before the end, in which only cells at a surface beside the beam may be occupied
			for far := 0.0; far < length-1.5*grid.Resolution; far += grid.Resolution / 4 {
				p := from.Add(along.Mul(far))
				c := grid.InCells(p)
				if grid.At(int(math.Floor(c[0])), int(math.Floor(c[1]))) != occupancy.Occupied {
					continue
				}
				if _, d := nearestSurface(solids, p); !(d <= math.Sqrt2*grid.Resolution) {
					wrong++
					t.Errorf("a beam from %.3f passes the occupied cell at %.3f freely", from, p)
					break
				}
			}
		}
	}
	if beams < 100*scans && wrong < most {
		t.Errorf("%d beams of %d scans hit something, want most", beams, scans)
	}
	t.Logf("%d beams end at most %.2f cells from an occupied cell", beams, worst)
}

// toOccupied returns the distance of a point from the nearest occupied cell, in cells, up to 3.
func toOccupied(grid *occupancy.Grid, world mgl64.Vec2) float64 {
	p, d := grid.InCells(world), 3.0
	for y := int(p[1]) - 3; y <= int(p[1])+3; y++ {
		for x := int(p[0]) - 3; x <= int(p[0])+3; x++ {
			if grid.At(x, y) == occupancy.Occupied {
				dx, dy := max(0, float64(x)-p[0], p[0]-float64(x)-1), max(0, float64(y)-p[1], p[1]-float64(y)-1)
				d = min(d, math.Hypot(dx, dy))
			}
		}
	}
	return d
}

// nearestSurface returns the point on the outlines of bodies, seen from above, that is nearest to a point, and the
// distance in m, which is negative inside of a body.
func nearestSurface(solids []physics.StaticBox, p mgl64.Vec2) (at mgl64.Vec2, distance float64) {
	distance = math.Inf(1)
	for i := range solids {
		if q, d := outline(&solids[i], p); d < distance {
			at, distance = q, d
		}
	}
	return at, distance
}

// outline returns the point on a body's outline that is nearest to a point, and the distance, which is negative inside.
func outline(b *physics.StaticBox, p mgl64.Vec2) (mgl64.Vec2, float64) {
	least, most := mgl64.Vec3(b.Min).Vec2(), mgl64.Vec3(b.Max).Vec2()
	centre, half := least.Add(most).Mul(0.5), most.Sub(least).Mul(0.5)
	if b.Round {
		d := p.Sub(centre)
		return centre.Add(d.Mul(half[0] / max(d.Len(), 1e-12))), d.Len() - half[0]
	}
	turn := mgl64.Rotate2D(b.Heading)
	l := turn.Transpose().Mul2x1(p.Sub(centre))
	q := mgl64.Vec2{mgl64.Clamp(l[0], -half[0], half[0]), mgl64.Clamp(l[1], -half[1], half[1])}
	d := l.Sub(q).Len()
	if d == 0 { // inside: the nearest side
		k := 0
		if half[1]-math.Abs(l[1]) < half[0]-math.Abs(l[0]) {
			k = 1
		}
		d, q[k] = math.Abs(l[k])-half[k], math.Copysign(half[k], l[k])
	}
	return centre.Add(turn.Mul2x1(q)), d
}
