package dataset

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// configOf returns the configuration of a data set that is not written.
func configOf(t *testing.T, text string) *Config {
	t.Helper()
	w, err := worlds.Parse("w.toml", []byte(text))
	must.Do(t, err)
	return &Config{
		World: w, Frames: 1000, PerScene: 12, Split: [3]float64{1, 0, 0}, Formats: Formats,
		Cameras: []string{"cyan1.front", "cyan1.omni"}, Level: abstraction.Raw,
		Renderer: "tile", Jobs: 1, Status: func(string) {},
	}
}

// shots takes the images of a scene.
func shots(t *testing.T, c *Config, number int, to func(*scene, *shot)) {
	t.Helper()
	s, err := c.newScene(t.Context(), number, "train", new(omnipitch.Cache))
	must.Do(t, err)
	defer s.close()
	must.Do(t, s.run(context.Background(), 0, func(x *shot) error {
		to(s, x)
		return nil
	}))
}

// TestWhatIsWhole checks that an object without a nearer neighbour in the image is whole. Leaving everything else out
// must not change it. A partly hidden object must then have more pixels.
func TestWhatIsWhole(t *testing.T) {
	whole, hidden := 0, 0
	c := configOf(t, small)
	for number := range 2 {
		shots(t, c, number, func(s *scene, x *shot) {
			l, e := x.eye.labels, x.eye
			view := e.camera.View(s.Level, &sensors.Instant{Snapshot: s.sim.Truth(), Robot: e.index})
			view.Vignetting, view.Ranging = 0, nil
			for k := range s.things.all {
				if l.seen[k].pixels == 0 {
					continue
				}
				n, err := l.count(s.renderer, s.things, k, e.rays, view, s.posesWB[s.flowing], s.memory)
				must.Do(t, err)
				o := x.frame.Objects[x.numbers[k]-1]
				switch {
				case o.Visible == 1:
					whole++
					if n != o.Pixels {
						t.Errorf("frame %d: %s has %d pixels, and %d alone", x.frame.Number, o.Name, o.Pixels, n)
					}
				default:
					hidden++
					if n <= o.Pixels || !(math.Abs(o.Visible-float64(o.Pixels)/float64(n)) <= 1e-12) {
						t.Errorf("frame %d: %s has %d pixels, and %d alone; visible is %v", x.frame.Number, o.Name,
							o.Pixels, n, o.Visible)
					}
				}
			}
		})
	}
	if whole < 50 || hidden < 20 {
		t.Errorf("%d objects are whole, %d hidden", whole, hidden)
	}
}

// large is the image of a camera with sharp outlines.
const large = "width_px = 640, height_px = 480, fov_deg = 70"

// watching is a world in which a robot's front camera sees a ball at random places. The arguments are further keys of
// the ball and of the robot, and the keys of the image.
func watching(ball, robot, image string) string {
	return "name = \"watching\"\nlook = \"plain\"\n[ball]\nx_m = { uniform = [2, 4] }\n" + ball +
		"\n[[robot]]\nname = \"cyan1\"\nmodel = \"nubot\"\n" + robot +
		"\n[[robot.sensor]]\nname = \"front\"\nimage = { " + image + " }\n[[robot.sensor]]\nname = \"omni\"\n"
}

// TestVisibleShareIsThatOfAWorldWithout compares the visible share with a rendering of the same seeds in a world
// without the hiding objects.
func TestVisibleShareIsThatOfAWorldWithout(t *testing.T) {
	text := watching("y_m = { uniform = [-0.6, 0.6] }", "", "width_px = 320, height_px = 240, fov_deg = 60")
	type seen struct {
		pixels  int
		visible float64
	}
	of := func(text string) map[int]seen {
		all := map[int]seen{}
		c := configOf(t, text)
		c.Cameras, c.PerScene = c.Cameras[:1], 40
		shots(t, c, 0, func(_ *scene, x *shot) {
			for _, o := range x.frame.Objects {
				if o.Name == "ball" {
					all[x.frame.Number] = seen{o.Pixels, o.Visible}
				}
			}
		})
		return all
	}
	alone := of(text)
	text += "[[obstacle]]\nname = \"box\"\npose = { x_m = 1.5, y_m = 0.1 }\nsize_x_m = 0.1\nsize_y_m = 0.3\n" +
		"height_m = 0.4\n"
	with := of(text)
	must.Equal(t, of(text+"absent = true\n"), alone, "balls with an absent obstacle")
	partly := 0
	for n, w := range alone {
		if w.visible != 1 {
			t.Errorf("frame %d: %v of a ball that nothing hides is visible", n, w.visible)
		}
		x, ok := with[n]
		if want := float64(x.pixels) / float64(w.pixels); ok && !(math.Abs(x.visible-want) <= 1e-12) {
			t.Errorf("frame %d: visible is %v, want %d of %d pixels", n, x.visible, x.pixels, w.pixels)
		}
		if ok && x.pixels < w.pixels {
			partly++
		}
	}
	if len(alone) < 20 || partly < 3 {
		t.Errorf("%d balls, %d hidden in part", len(alone), partly)
	}
}

// TestBallIsWhereItIs compares the labels of a ball that flies past a camera with closed forms for its position, size,
// distance and speed.
func TestBallIsWhereItIs(t *testing.T) {
	text := watching("y_m = { uniform = [-1, 1] }\nz_m = { uniform = [0.3, 0.7] }\n"+
		"vx_m_s = { uniform = [-3, 3] }\nvy_m_s = { uniform = [-3, 3] }", "", large)
	const radius, gravity = 0.11, 9.81
	c := configOf(t, text)
	c.PerScene, c.Cameras = 25, c.Cameras[:1]
	balls := 0
	shots(t, c, 0, func(s *scene, x *shot) {
		f, l := &x.frame, x.eye.labels
		for _, o := range f.Objects {
			if o.Name != "ball" || o.Cut {
				continue
			}
			balls++
			p, k := o.Pose.Position, f.Camera
			project := func(p mgl64.Vec3) (u, v float64) { return k.FX*p[0]/p[2] + k.CX, k.FY*p[1]/p[2] + k.CY }
			u, v := project(p)
			if got := o.Points[0]; !(math.Abs(got[0]-u) < 1e-3) || !(math.Abs(got[1]-v) < 1e-3) || got[2] != 2 {
				t.Errorf("frame %d: centre at %v, want %v, %v, seen", f.Number, got, u, v)
			}
			// Along u, the image of a sphere lies between the tangents in the plane through the camera and the centre.
			away, half := math.Atan2(p[0], p[2]), math.Asin(radius/math.Hypot(p[0], p[2]))
			left, right := k.FX*math.Tan(away-half)+k.CX, k.FX*math.Tan(away+half)+k.CX
			if !(math.Abs(float64(o.Box[0])-0.5-left) < 1.6) ||
				!(math.Abs(float64(o.Box[0]+o.Box[2])-0.5-right) < 1.6) {
				t.Errorf("frame %d: box %v, want from %v to %v", f.Number, o.Box, left, right)
			}
			i := int(math.Round(v))*l.width + int(math.Round(u))
			if want := p.Len() - radius; !(math.Abs(float64(l.truth.Range[i])-want) < 0.01) {
				t.Errorf("frame %d: range %v, want %v", f.Number, l.truth.Range[i], want)
			}
			// The ball does not spin, and the camera stands still. Drag has no visible effect.
			r := f.CameraPose.Orientation
			toC := mgl64.Quat{W: r[0], V: mgl64.Vec3{r[1], r[2], r[3]}}.Inverse()
			moved := o.Velocity.Mul(f.FlowTime).Add(mgl64.Vec3{0, 0, gravity * f.FlowTime * f.FlowTime / 2})
			near := p.Mul(1 - radius/p.Len())
			u0, v0 := project(near.Sub(toC.Rotate(moved)))
			u1, v1 := project(near)
			if du, dv := float64(l.truth.Flow[2*i]), float64(l.truth.Flow[2*i+1]); !(math.Hypot(du-(u1-u0),
				dv-(v1-v0)) < 0.6) {
				t.Errorf("frame %d: flow (%v, %v), want (%v, %v)", f.Number, du, dv, u1-u0, v1-v0)
			}
			for i, label := range l.truth.Labels {
				if body := int(label) - 8; body != s.things.all[0].bodies[0] && l.codes[i] == 0 &&
					!(math.Hypot(float64(l.truth.Flow[2*i]), float64(l.truth.Flow[2*i+1])) <= 0.05) {
					t.Fatalf("frame %d: what stands still flows by (%v, %v) at pixel %d", f.Number, l.truth.Flow[2*i],
						l.truth.Flow[2*i+1], i)
				}
			}
		}
	})
	if balls < 10 {
		t.Errorf("%d balls", balls)
	}
}

// TestLabelsAreTheRayCasters compares the classes and objects of the tile renderer with those of the ray caster, which
// shares no code with it. They may differ at outlines.
func TestLabelsAreTheRayCasters(t *testing.T) {
	folders := [2]string{t.TempDir(), t.TempDir()}
	for i, renderer := range []string{"tile", "raycast"} {
		must.Get(made(t, folders[i], func(c *Config) {
			c.Renderer, c.Frames, c.Formats = renderer, 4,
				[]Format{Masks, Depth}
		}))(t)
	}
	frames := [2][]Frame{framesOf(t, folders[0]), framesOf(t, folders[1])}
	for n := range frames[0] {
		for _, kind := range []string{"classes", "instances"} {
			a := decoded(t, filepath.Join(folders[0], kind, frames[0][n].Part, fmt.Sprintf("%07d.png", n)))
			b := decoded(t, filepath.Join(folders[1], kind, frames[0][n].Part, fmt.Sprintf("%07d.png", n)))
			differ, pixels := 0, a.Bounds().Dx()*a.Bounds().Dy()
			for i := range pixels {
				if x, y := i%a.Bounds().Dx(), i/a.Bounds().Dx(); a.At(x, y) != b.At(x, y) {
					differ++
				}
			}
			if kind == "instances" && len(frames[0][n].Objects) != len(frames[1][n].Objects) {
				continue // only one of them has a pixel of some object, so the numbers differ
			}
			if differ > pixels/50 {
				t.Errorf("frame %d: %d of %d %s differ", n, differ, pixels, kind)
			}
		}
	}
}

// TestGoals checks that goals are distinguished from the boards behind them, and left from right as seen from the
// field. Their key points must lie on their posts.
func TestGoals(t *testing.T) {
	text := watching("", "pose = { x_m = { uniform = [3, 6] }, y_m = { uniform = [-2, 2] }, "+
		"heading_deg = { uniform = [-15, 15] } }", large)
	c := configOf(t, text)
	c.Cameras = c.Cameras[:1]
	goals := 0
	shots(t, c, 0, func(s *scene, x *shot) {
		for _, o := range x.frame.Objects {
			if o.Category != "goal" {
				continue
			}
			if o.Name != "goal_magenta" {
				t.Errorf("frame %d shows %s", x.frame.Number, o.Name)
			}
			goals++
			p := o.Points
			if p[0][2] == 2 && p[3][2] == 2 && !(p[0][0] < p[3][0]) || p[0][2] == 2 && p[1][2] == 2 &&
				!(p[1][1] < p[0][1]) {
				t.Errorf("frame %d: points %v", x.frame.Number, p)
			}
			l := x.eye.labels
			for i, at := range p {
				if at[2] > 0 && (i == 1 || i == 2) { // corners of a thick frame, with nothing in front of them
					if got := l.codes[int(math.Round(at[1]))*l.width+int(math.Round(at[0]))]; int(
						got) != s.things.first+2 {
						t.Errorf("frame %d: point %d at %v shows %d", x.frame.Number, i, at, got)
					}
				}
			}
			if w := o.Box[2]; !o.Cut && !(w > 3*o.Box[3]/2) {
				t.Errorf("frame %d: a goal in %v", x.frame.Number, o.Box)
			}
		}
	})
	if goals < 6 {
		t.Errorf("%d goals", goals)
	}
}

// TestKinds checks that bodies with a kind are objects of a category of that name, after the categories of all worlds.
func TestKinds(t *testing.T) {
	c := configOf(t, "name = \"w\"\ninclude = [\"corridor\"]\n[light]\nlamp = { uniform = [0.8, 1] }\n")
	c.Cameras, c.Frames, c.PerScene = []string{"cyan1.front"}, 1, 1
	c.World.Robots[0].Sensors[slices.IndexFunc(c.World.Robots[0].Sensors,
		func(s sensors.Config) bool { return s.Name == "front" })].Image.Width = 160
	got, doors := map[string]string{}, 0
	shots(t, c, 0, func(s *scene, x *shot) {
		for _, o := range x.frame.Objects {
			got[o.Name] = o.Category
		}
		l := x.eye.labels
		for i := range l.codes {
			if l.class(i, s.things, x.eye.index) == firstCategory+8 {
				doors++
			}
		}
	})
	want := map[string]string{"visitor": "person", "north_door2": "door", "south_door1": "door"}
	for name, category := range want {
		if got[name] != category {
			t.Errorf("%s: got category %q, want %q; the image shows %v", name, got[name], category, got)
		}
	}
	if doors == 0 {
		t.Error("no pixel has the class of doors")
	}
	all := CategoriesOf(c.World)
	var names []string
	for _, x := range all[len(Categories):] {
		names = append(names, fmt.Sprint(x.ID, x.Name))
	}
	if want := []string{"8door", "9shelf"}; !slices.Equal(names, want) {
		t.Errorf("got categories %q beyond those of all worlds, want %q", names, want)
	}
}

// TestSelf checks that classes are those of the pixel. The camera's own robot must not be an object.
func TestSelf(t *testing.T) {
	c := configOf(t, small)
	self := 0
	shots(t, c, 0, func(s *scene, x *shot) {
		l := x.eye.labels
		for i := range l.codes {
			switch class := l.class(i, s.things, x.eye.index); {
			case class == classSelf:
				self++
			case class > firstCategory && l.codes[i] == 0:
				t.Fatalf("pixel %d of no object has class %d", i, class)
			}
		}
		for _, o := range x.frame.Objects {
			if o.Name == "cyan1" {
				t.Errorf("%s sees its robot", x.frame.Sensor)
			}
		}
	})
	if self < 1000 {
		t.Errorf("%d pixels of the mirror's images show the robot below", self)
	}
	if len(ClassNames(Categories)) != len(pixelClasses)+len(Categories) {
		t.Error("classes share numbers")
	}
}

// TestSceneEndsWithItsContext checks that neither a scene nor one of its moments draws random values after Ctrl-C.
func TestSceneEndsWithItsContext(t *testing.T) {
	c := configOf(t, "name = \"w\"\ninclude = [\"nubot-attack\"]\n[ball]\nx_m = { uniform = [-3, -2] }\n")
	ctx, cancel := context.WithCancel(t.Context())
	s := must.Get(c.newScene(ctx, 1, "train", new(omnipitch.Cache)))(t)
	defer s.close()
	cancel()
	_, sceneErr := c.newScene(ctx, 2, "train", new(omnipitch.Cache))
	_, momentErr := s.world(ctx, 1)
	if sceneErr != context.Canceled || momentErr != context.Canceled {
		t.Errorf("got errors %v and %v, want %v", sceneErr, momentErr, context.Canceled)
	}
}
