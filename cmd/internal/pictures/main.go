// Command pictures draws the pictures of docs/cameras.md: every camera model, every fault and every ground-truth image,
// each from the world file keys in the text next to it. It also draws the window, and humanoids that get up, for
// other pages. Run it with make pictures, or with a folder and names of pictures to draw only those.
package main

import (
	"cmp"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/window"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

func main() {
	dir := "docs/pictures"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	only := os.Args[min(2, len(os.Args)):]
	for _, p := range pictures() {
		if len(only) > 0 && !slices.Contains(only, p.name) {
			continue
		}
		if err := p.make(dir); err != nil {
			fmt.Fprintf(os.Stderr, "pictures: %s: %v\n", p.name, err)
			os.Exit(1)
		}
		fmt.Println(filepath.Join(dir, p.name+".jpg"))
	}
	for _, o := range []struct {
		name string
		make func(dir string) error
	}{{"window", makeWindow}, {"get-up", makeGetUp}, {"hsl-refbot", makeMatch}} {
		if len(only) > 0 && !slices.Contains(only, o.name) {
			continue
		}
		if err := o.make(dir); err != nil {
			fmt.Fprintf(os.Stderr, "pictures: %s: %v\n", o.name, err)
			os.Exit(1)
		}
		fmt.Println(filepath.Join(dir, o.name+".jpg"))
	}
}

// world returns the picture's world with its sensor.
func (p *picture) world() (*worlds.World, error) {
	kind := p.kind
	if kind == "" {
		kind = "camera"
	}
	mount := "mount = { x_m = 0.26, z_m = 0.5, pitch_deg = 15 }"
	if kind == "omni" {
		mount = "mount = { z_m = 0.78, yaw_deg = -90 }"
	}
	if p.mount != "" {
		mount = "mount = " + p.mount
	}
	text := fmt.Sprintf(`name = "pictures"
include = [%q]
look = %q
[[robot]]
name = "cyan1"
[[robot.sensor]]
name = "cam"
kind = %q
%s
%s
%s`, p.base(), cmp.Or(p.look, worlds.LookNatural), kind, mount, p.keys, p.after)
	return worlds.Parse(p.name+".toml", []byte(text))
}

// make draws the picture and writes it.
func (p *picture) make(dir string) error {
	w, err := p.world()
	if err != nil {
		return err
	}
	// Turn the robot back, so that it faces the ball at the end. Accelerating takes 0.03 s.
	w.Robots[0].Pose.Heading -= p.turn * (turning - 0.03)
	for i := range w.Robots { // the images of other sensors are not needed
		for j := range w.Robots[i].Sensors {
			if s := &w.Robots[i].Sensors[j]; s.Name != "cam" {
				s.Level = abstraction.Truth
			}
		}
	}
	opts := omnipitch.Options{}
	if p.samples > 0 {
		opts.Renderer, opts.Tracing.Samples = backend.Reference, p.samples
	}
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		return err
	}
	defer sim.Close()
	// A camera with a listener captures on schedule, and flow refers to the last image.
	if _, err := sim.Listen("cyan1", "cam", omnipitch.Listener{Observe: func(*sensors.Observation) {}}); err != nil {
		return err
	}
	for p.turn != 0 && sim.Truth().Time.Seconds() < turning {
		if err := sim.Do(&action.Drive{Robot: "cyan1", Omega: p.turn}); err != nil {
			return err
		}
		if err := sim.Step(); err != nil {
			return err
		}
	}
	level := abstraction.Raw
	if p.ideal {
		level = abstraction.Ideal
	}
	show := p.show
	if show == nil {
		show = colors
	}
	o, err := sim.Sensors().Capture("cyan1", "cam", level)
	if err != nil {
		return err
	}
	defer o.Release()
	return write(filepath.Join(dir, p.name+".jpg"), p.cut(show(o)))
}

// cut cuts out the shown part of the picture and reduces it.
func (p *picture) cut(m image.Image) image.Image {
	if !p.part.Empty() {
		return reduced(m, p.part, 1)
	}
	n := max(1, (m.Bounds().Dx()+widest/2)/widest) // pixels per resulting pixel, in each direction
	return reduced(m, m.Bounds(), n)
}

// turning is the time for which a robot turns before its picture, s; between two frames at 30 Hz.
const turning = 0.32

// widest is the approximate width of pictures, pixels.
const widest = 320

func write(path string, m image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(f, m, &jpeg.Options{Quality: 90}); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// windowWorld is an attack with spectators: a scripted player drives, a laser scans, and the ball has just bounced off
// an obstacle.
const windowWorld = `
name = "window"
include = ["spectators"]

[[robot]]
name = "cyan1"
player = { patrol = { way_points = [{ x_m = 2, y_m = -1.5 }, { x_m = 4, y_m = -2.5 }, { x_m = 3, y_m = 2.5 }, { x_m = -1, y_m = 2 }] } }

[[robot.sensor]]
name = "laser"
kind = "laser"
profile = "sick-lms1xx"
mount = { x_m = 0.15, z_m = 0.28 }

[[event]]
at_s = 0
place = { name = "ball", x_m = 3, y_m = 1.5, z_m = 0.3, vx_m_s = 4, vz_m_s = 2.5 }
`

// simOf returns a simulation of the text of a world.
func simOf(name, text string) (*omnipitch.Sim, error) {
	w, err := worlds.Parse(name+".toml", []byte(text))
	if err != nil {
		return nil, err
	}
	return omnipitch.New(w, omnipitch.Options{})
}

// makeWindow draws the window of run --window, with all overlays, for the README and docs/window.md.
func makeWindow(dir string) error {
	sim, err := simOf("window", windowWorld)
	if err != nil {
		return err
	}
	defer sim.Close()
	im, err := window.Still(sim, 960, 720, "LXBVP", 600*time.Millisecond)
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "window.jpg"), colors(&sensors.Observation{Color: im}))
}
