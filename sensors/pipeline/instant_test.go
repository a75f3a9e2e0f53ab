//go:build cgo

package pipeline_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// ballWriter is a renderer that encodes the ball's position in every image, to a centimetre. It uses black and white
// pixels, which survive noise.
type ballWriter struct{ ball int }

const bitsOfPlace = 16

func (b ballWriter) Render(f *render.Batch) error {
	for i := range f.Views {
		for k, x := range f.PosesWB[b.ball].Pos[:2] {
			cm := int(math.Round(100*x)) + 1<<(bitsOfPlace-1)
			for bit := range bitsOfPlace {
				f.Views[i].Color.Pix[3*(bitsOfPlace*k+bit)] = byte(255 * (cm >> bit & 1))
			}
		}
	}
	return nil
}

// read returns the position that is encoded in an image.
func (ballWriter) read(im *render.Image) (place mgl64.Vec2) {
	for k := range place {
		cm := -1 << (bitsOfPlace - 1)
		for bit := range bitsOfPlace {
			if im.Pix[3*(bitsOfPlace*k+bit)] > 127 {
				cm += 1 << bit
			}
		}
		place[k] = float64(cm) / 100
	}
	return place
}

func (ballWriter) Close() {}

// ballOf returns the position of the ball on the floor according to an observation of cyan1's omni camera.
func ballOf(t *testing.T, s simtest.Sim, o *sensors.Observation) mgl64.Vec2 {
	t.Helper()
	robot := s.Truth().Robots[0].PoseWB // the robot does not move
	switch {
	case o.Color != nil:
		return ballWriter{}.read(o.Color)
	case o.Features != nil:
		if len(o.Features.Balls) != 1 {
			t.Fatalf("%d balls in the features of %v", len(o.Features.Balls), o.Stamp)
		}
		f := o.Features.Balls[0]
		rayC, _ := s.Camera("cyan1", "omni").Model().Unproject(f.U, f.V)
		ray, eye := robot.Mul(o.PoseBC).Rotate(rayC), robot.Mul(o.PoseBC).Pos
		return eye.Add(ray.Mul((s.World().Ball.Radius - eye[2]) / ray[2])).Vec2()
	}
	for _, d := range o.Objects.Detections {
		if d.Kind == abstraction.BallKind {
			return robot.Apply(mgl64.Vec3{d.PosB[0], d.PosB[1], 0}).Vec2()
		}
	}
	t.Fatalf("no ball among the objects of %v", o.Stamp)
	return mgl64.Vec2{}
}

// All observers of a time see the same state, after the events of this time: images, features, objects, truth, the
// window's poses, and observations by Capture; at time 0 and later.
func TestEventsHappenBeforeAnythingObserves(t *testing.T) {
	const later = 100 * time.Millisecond // time of the camera's fourth frame
	places := map[time.Duration]mgl64.Vec2{0: {-3, 2}, later: {0, -1}}
	// A pixel covers a longer piece of the ball's plane than of the ball: features are exact to a decimetre.
	within := map[abstraction.Level]float64{abstraction.Raw: 0.01, abstraction.Ideal: 0.01,
		abstraction.Features: 0.1, abstraction.Objects: 0.02, abstraction.Truth: 1e-9}
	for _, level := range sensors.OmniKind.Levels() {
		w := simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Truth))
		w.Obstacles, w.Events = nil, nil
		for _, at := range []time.Duration{later, 0} {
			w.Events = append(w.Events, worlds.Event{At: at, Choice: action.Choice{
				Place: &action.Place{Name: "ball", X: places[at][0], Y: places[at][1]}}})
		}
		omni := simtest.Sensor(t, w, "cyan1", "omni")
		omni.Level, omni.Vision = level, &abstraction.VisionConfig{MaxRange: 100} // without errors
		s := simtest.New(t, w, omnipitch.Options{NewRenderer: func(scene *render.Scene) (render.Renderer, error) {
			return ballWriter{slices.IndexFunc(scene.Bodies, func(b render.Body) bool { return b.Name == "ball" })}, nil
		}})
		want := places[0]
		is := func(observer string, got mgl64.Vec2, within float64) {
			t.Helper()
			if !(got.Sub(want).Len() <= within) {
				t.Errorf("%s: at %v %s has the ball at %.2f, want %.2f", level, s.Truth().Time, observer, got, want)
			}
		}
		observeNow := func() {
			t.Helper()
			is("Truth", s.Truth().Ball.PosW.Vec2(), 1e-9)
			scenery := s.Sensors().Scenery()
			is("Poses", scenery.Poses(s.Truth(), nil)[scenery.Ball()].Pos.Vec2(), 1e-9)
			for _, l := range sensors.OmniKind.Levels() {
				is("a capture at "+string(l), ballOf(t, s, s.Capture("cyan1", "omni", l)), within[l])
			}
		}
		observeNow() // before the first step
		next := int64(0)
		s.OnStep(func(now *physics.Snapshot) {
			if now.Time == later {
				want = places[later]
			}
			must.Equal(t, now.Step, next, "OnStep has step")
			next++
			is("OnStep", now.Ball.PosW.Vec2(), 1e-9)
		})
		frames := map[time.Duration]mgl64.Vec2{}
		s.On("cyan1", "omni", func(o *sensors.Observation) { frames[o.Stamp] = ballOf(t, s, o) })
		s.Until(later)
		observeNow()
		s.Until(2 * later)
		for at, place := range places {
			want = place
			got, ok := frames[at]
			if !ok {
				t.Fatalf("no frame of %v", at)
			}
			is(fmt.Sprintf("the frame of %v", at), got, within[level])
		}
	}
}
