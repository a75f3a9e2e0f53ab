package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// region is a set of connected pixels that a colour table classifies as ball.
type region struct {
	pixels         int
	sumX, sumY     int
	x0, y0, x1, y1 int
}

// ballRegions returns the regions of an image that NuBot's nodes take for a ball, largest first. table is a colour
// table as its file stores it, and cell returns the index of a colour in it. Connected pixels are the eight neighbours.
// Source: nubot_ws, ballfinder.cpp: RegionSearch.
func ballRegions(im *render.Image, table []byte, cell func(r, g, b byte) int, smallest int) (all []region) {
	ball := make([]bool, im.Width*im.Height)
	for i := range ball {
		ball[i] = table[cell(im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2])] == 0
	}
	for start := range ball {
		if !ball[start] {
			continue
		}
		ball[start] = false
		a := region{x0: im.Width, y0: im.Height}
		for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
			x, y := queue[0]%im.Width, queue[0]/im.Width
			a.pixels, a.sumX, a.sumY = a.pixels+1, a.sumX+x, a.sumY+y
			a.x0, a.y0, a.x1, a.y1 = min(a.x0, x), min(a.y0, y), max(a.x1, x), max(a.y1, y)
			for v := max(y-1, 0); v <= min(y+1, im.Height-1); v++ {
				for u := max(x-1, 0); u <= min(x+1, im.Width-1); u++ {
					if i := v*im.Width + u; ball[i] {
						ball[i] = false
						queue = append(queue, i)
					}
				}
			}
		}
		if a.pixels >= smallest {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b region) int { return b.pixels - a.pixels })
	return all
}

// nubotFiles writes NuBot's files of a camera of a world and returns the path of one of them.
func nubotFiles(t *testing.T, world, camera, file string) string {
	t.Helper()
	dir := t.TempDir()
	prints(t, console.ExitDone, "", "calibration", world, camera, "--format", "nubot", "--out", dir)
	found, err := filepath.Glob(filepath.Join(dir, "*", file))
	if len(found) == 0 { // robots of both teams have the number
		found, err = filepath.Glob(filepath.Join(dir, "*", "*", file))
	}
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", file, found, err)
	}
	return found[0]
}

// lookAtBalls places a world's first robot and the ball in 15 ways and calls f with the image of a camera of the robot
// at a level. ballB is the centre of the ball in the robot's frame, metres.
func lookAtBalls(t *testing.T, world, sensor string, level abstraction.Level, farthest, bearing float64,
	f func(im *render.Image, ballB mgl64.Vec3)) {
	t.Helper()
	w := must.Get(worlds.Load(world))(t)
	name := w.Robots[0].Name
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	random := rand.New(rand.NewPCG(7, 0))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*random.Float64() }
	for range 15 {
		// This half of the field has no obstacles that would hide the ball.
		robot := action.Place{Name: name, X: between(-6, -3), Y: between(-2, 2), Heading: between(-math.Pi, math.Pi)}
		d, angle := between(0.8, farthest), between(-bearing, bearing)
		ballB := mgl64.Vec3{d * math.Cos(angle), d * math.Sin(angle), w.Ball.Radius}
		sin, cos := math.Sincos(robot.Heading)
		ball := action.Place{Name: "ball", X: robot.X + ballB[0]*cos - ballB[1]*sin, Y: robot.Y + ballB[0]*sin +
			ballB[1]*cos, Z: w.Ball.Radius}
		must.Do(t, sim.Do(&robot, &ball))
		o, err := sim.Sensors().Capture(name, sensor, level)
		if err != nil {
			t.Fatal(err)
		}
		f(o.Color, ballB)
		o.Release()
	}
}

// TestFrontVisionFindsTheBallByOurFiles checks that front_vision finds the ball with the files of calibration. It takes
// the largest region of its colour with at least 20 pixels, and assumes that its centre is at the height of the ball's
// centre. Source: ballfinder.cpp: Process, CamNormPos2BodyPos.
func TestFrontVisionFindsTheBallByOurFiles(t *testing.T) {
	needLong(t, "verify-long")
	path := nubotFiles(t, "nubot-attack", "cyan1.front", "CTableBGR.dat")
	table := []byte(read(t, path))
	file := must.Get(os.Open(filepath.Join(filepath.Dir(path), "Param.txt")))(t)
	defer file.Close()
	var p [22]float64
	for i := range p {
		if _, err := fmt.Fscan(file, &p[i]); err != nil {
			t.Fatalf("number %d of Param.txt: %v", i, err)
		}
	}
	var errs []float64
	lookAtBalls(t, "nubot-attack", "front", abstraction.Raw, 4, 0.25, func(im *render.Image, ballB mgl64.Vec3) {
		found := ballRegions(im, table, func(r, g, b byte) int { return int(b)/4*64*64 + int(g)/4*64 + int(r)/4 }, 20)
		if len(found) == 0 {
			t.Errorf("no ball where there is one at %.2v", ballB)
			return
		}
		u, v := float64(found[0].sumX/found[0].pixels), float64(found[0].sumY/found[0].pixels)
		y := (v - p[4]) / p[1]
		x := (u-p[3])/p[0] - p[2]*y
		const radius = 110 // radius of the ball, mm
		column := func(i int) mgl64.Vec3 { return mgl64.Vec3{p[5+i], p[9+i], p[13+i]} }
		board := mgl64.Mat3FromCols(column(0), column(1), mgl64.Vec3{-x, -y, -1}).Inv().Mul3x1(
			column(2).Mul(-radius).Sub(column(3)))
		ahead, left := board[1]+500, 90-board[0] // mm
		errs = append(errs, math.Hypot(ahead/1000-ballB[0], left/1000-ballB[1])/ballB.Len())
	})
	slices.Sort(errs)
	if len(errs) == 0 {
		t.Fatal("no ball was found")
	}
	median, worst := errs[len(errs)/2], errs[len(errs)-1]
	t.Logf("the ball is off by %.1f %% of its distance, median, %.1f %% at most", 100*median, 100*worst)
	// The node truncates pixel coordinates. Half a pixel is 0.1 % of the distance across, and 1 % along the floor at 4
	// m.
	if !(median <= 0.01) || !(worst <= 0.03) {
		t.Errorf("want at most 1 %% and 3 %%")
	}
}

// TestOmniVisionFindsTheBallByOurFiles checks that omni_vision finds the ball with CTable.dat, at the largest region of
// its colour with at least 15 pixels: among black robots, and alone in the hall, at both levels with images.
func TestOmniVisionFindsTheBallByOurFiles(t *testing.T) {
	needLong(t, "verify-long")
	for _, in := range []struct {
		world, robot string
		farthest     float64
	}{{"omni-vision", "nubot1", 3}, {"nubot-attack", "cyan1", 3}} {
		table := must.Get(os.ReadFile(nubotFiles(t, in.world, in.robot+".omni", "CTable.dat")))(t)
		for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal} {
			t.Run(in.world+" "+string(level), func(t *testing.T) {
				omniVisionFinds(t, in.world, in.robot, level, in.farthest, table)
			})
		}
	}
}

// omniVisionFinds fails the test unless omni_vision finds each of 15 balls of a world with a colour table.
func omniVisionFinds(t *testing.T, world, robot string, level abstraction.Level, farthest float64, table []byte) {
	w := must.Get(worlds.Load(world))(t)
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	camera, _ := sim.Sensors().Camera(robot, "omni")
	cell := func(r, g, b byte) int {
		y := math.Round(0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b))
		clip := func(x float64) int { return int(min(max(math.Round(x), 0), 255)) }
		return int(y)/4*64*64 + clip(0.492*(float64(b)-y)+128)/4*64 + clip(0.877*(float64(r)-y)+128)/4
	}
	lookAtBalls(t, world, "omni", level, farthest, math.Pi, func(im *render.Image, ballB mgl64.Vec3) {
		u, v, ok := camera.Model().Project(camera.PoseBC().Inverse().Apply(ballB))
		found := ballRegions(im, table, cell, 15)
		if !ok || len(found) == 0 {
			t.Errorf("no ball where there is one at %.2v", ballB)
			return
		}
		if a := found[0]; !(u >= float64(a.x0)-2 && u <= float64(a.x1)+2 && v >= float64(a.y0)-2 &&
			v <= float64(a.y1)+2) {
			t.Errorf("a ball at the pixel (%.0f, %.0f), the largest region of its colour, of %d pixels, is at %d to "+
				"%d, %d to %d", u, v, a.pixels, a.x0, a.x1, a.y0, a.y1)
		}
	})
}
