package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/raster"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// growth is worlds that differ in one number, and what a picture of each costs.
type growth struct {
	name, axis string
	numbers    []int
	world      func(n int) func(*worlds.World) // of ten-robots
	together   bool                            // n cameras' pictures are drawn at once; else each picture alone
	cameras    []string                        // of the first robot
}

var growths = []growth{
	{name: "robots", axis: "robots", numbers: []int{1, 2, 5, 10, 20, 50}, world: crowd, cameras: []string{"omni",
		"front"}},
	{name: "cameras", axis: "mirror cameras of ten robots, drawn at once", numbers: []int{1, 2, 5, 10, 20, 40},
		world: manyCameras, together: true, cameras: []string{"omni"}},
	{name: "pixels", axis: "pixels across", numbers: []int{160, 320, 640, 960, 1280, 1920}, world: withWidth,
		cameras: []string{"omni", "front"}},
}

// crowd has n robots on the field of which the first has cameras. They stand where a sequence of low discrepancy puts
// them, apart from each other. Source of its numbers: the powers of the plastic number, as Roberts (2018), The
// unreasonable effectiveness of quasirandom sequences.
func crowd(n int) func(*worlds.World) {
	return func(w *worlds.World) {
		const apart = 0.9 // m: half a metre of robot, and room
		robot := w.Robots[1]
		w.Robots = nil
		var poses []worlds.Pose
		for i := 1; len(poses) < n; i++ {
			_, u := math.Modf(0.7548776662466927 * float64(i))
			_, v := math.Modf(0.5698402909980532 * float64(i))
			at := worlds.Pose{X: (u - 0.5) * (w.Field.Length - 1), Y: (v - 0.5) * (w.Field.Width - 1),
				Heading: 2 * math.Pi * u}
			near := func(p worlds.Pose) bool { return math.Hypot(p.X-at.X, p.Y-at.Y) < apart }
			if !slices.ContainsFunc(poses, near) && !near(worlds.Pose{X: w.Ball.X, Y: w.Ball.Y}) {
				poses = append(poses, at)
			}
		}
		for i, at := range poses {
			r := robot
			r.Name, r.Number, r.Pose, r.Team = fmt.Sprintf("robot%d", i+1), i+2, at, physics.Cyan
			if i%2 == 1 {
				r.Team = physics.Magenta
			}
			if i > 0 {
				r.Sensors = nil
			}
			w.Robots = append(w.Robots, r)
		}
	}
}

// manyCameras has four mirror cameras on each of ten robots, each turned another way, whatever n is.
func manyCameras(int) func(*worlds.World) {
	return func(w *worlds.World) {
		for i := range w.Robots {
			r := &w.Robots[i]
			omni := r.Sensors[slices.IndexFunc(r.Sensors, func(c sensors.Config) bool { return c.Name == "omni" })]
			r.Sensors = nil
			for k := range 4 {
				turned := omni
				turned.Name, turned.Mount.Yaw = fmt.Sprintf("omni%d", k), omni.Mount.Yaw+float64(k)*math.Pi/4
				r.Sensors = append(r.Sensors, turned)
			}
			r.Sensors[0].Name = omni.Name
		}
	}
}

// withWidth gives the first robot's cameras images so many pixels wide, of the shape that they have.
func withWidth(n int) func(*worlds.World) {
	return func(w *worlds.World) {
		first := w.Robots[0].Sensors
		for i := range first {
			if c := &first[i]; c.Image != nil {
				image := *c.Image
				image.Width, image.Height = n, n*image.Height/image.Width
				c.Image = &image
			}
		}
	}
}

// cost is what a picture takes.
type cost struct {
	wall, cpu                 []float64 // ms, each time
	pixels, triangles, robots float64
}

// costs are those of a growth's pictures, by camera, in the order of its numbers.
type costs map[string][]cost

// measure draws a growth's pictures at raw.
func (s *growth) measure(ctx context.Context, by backend.Choice, rounds int) (costs, error) {
	all := costs{}
	for _, n := range s.numbers {
		scene, err := openStills("ten-robots", s.world(n))
		if err != nil {
			return nil, err
		}
		for _, camera := range s.cameras {
			taken := []render.View{scene.of[stillOf{scene.world.Robots[0].Name, camera, abstraction.Raw}]}
			if s.together {
				taken = scene.first(n)
			}
			c, err := measureCost(ctx, by, scene, taken, rounds)
			if err != nil {
				return nil, err
			}
			all[camera] = append(all[camera], c)
		}
	}
	return all, nil
}

// first returns the raw images of the first n cameras, the first of each robot before the second of any.
func (s *stills) first(n int) (all []render.View) {
	for k := 0; len(all) < n; k++ {
		for i := range s.world.Robots {
			if r := &s.world.Robots[i]; len(all) < n {
				all = append(all, s.of[stillOf{r.Name, r.Sensors[k].Name, abstraction.Raw}])
			}
		}
	}
	return all
}

// measureCost draws pictures together, and returns the cost of each.
func measureCost(ctx context.Context, by backend.Choice, scene *stills, taken []render.View, rounds int) (cost, error) {
	draw, end, err := scene.drawTogether(by, taken)
	if err != nil {
		return cost{}, err
	}
	defer end()
	const most = time.Second
	all, err := timeTurns(ctx, rounds, most, draw)
	if err != nil {
		return cost{}, err
	}
	c := cost{wall: all[0].wall, cpu: all[0].cpu}
	for i := range c.wall {
		c.wall[i] /= float64(len(taken))
		c.cpu[i] /= float64(len(taken))
	}
	w, h := taken[0].Model.Size()
	c.pixels, c.triangles, c.robots = float64(w*h), scene.triangles(&taken[0]), float64(len(scene.world.Robots))
	return c, nil
}

// triangles counts those that a rasteriser draws of a picture.
func (s *stills) triangles(one *render.View) (n float64) {
	if s.baked == nil {
		s.baked = raster.Bake(s.scene)
	}
	var lens *raster.Lens
	if !raster.HasFormula(one.Model) {
		lens = raster.NewLens(one.Model)
	}
	var camera raster.Camera
	camera.Set(one, lens)
	var seen raster.Visibility
	seen.Collect(s.baked.Bodies, s.posesWB, &camera, one.Hidden)
	for _, i := range seen.Order {
		for _, p := range seen.Bodies[i].Parts {
			n += float64(s.baked.Bodies[i].Parts[p.Part].Levels[p.Level].Count) / 3
		}
	}
	return n
}
