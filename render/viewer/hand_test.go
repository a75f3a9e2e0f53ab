package viewer

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// post is a body whose upper half a ray meets that passes within 0.2 m of its axis: a vertical one.
func post(name string, x, y float64) Body {
	return Body{Name: name, PosW: mgl64.Vec3{x, y, 0}, Cast: func(from, along mgl64.Vec3) float64 {
		d := mgl64.Vec2{x - from[0], y - from[1]}
		flat := mgl64.Vec2{along[0], along[1]}
		r := d.Dot(flat) / flat.Dot(flat)
		at := from.Add(along.Mul(r))
		if math.Hypot(at[0]-x, at[1]-y) > 0.2 || at[2] < 0 || at[2] > 0.8 || r < 0 {
			return math.Inf(1)
		}
		return r
	}}
}

func TestTheMouseTakesHoldOfBodies(t *testing.T) {
	sight := window()
	at := func(x, y, z float64) (float64, float64) {
		t.Helper()
		px, py, ok := sight.Project(mgl64.Vec3{x, y, z})
		if !ok {
			t.Fatal("not seen")
		}
		return px, py
	}
	bodies := []Body{post("far", 1, 2), post("near", 1, -1), post("beside", 5, 0)}
	type result struct {
		drag    Drag
		dropped bool
	}
	drag := func(v *Viewer, fromX, fromY, toX, toY float64, shift bool) result {
		v.Show(sight, bodies)
		v.Handle(Event{Kind: Press, X: fromX, Y: fromY, Shift: shift})
		v.Handle(Event{Kind: Orbit, X: toX - fromX, Y: toY - fromY, AtX: toX, AtY: toY})
		v.Handle(Event{Kind: Lift})
		d, ok := v.TakeDrop()
		return result{d, ok}
	}
	fromX, fromY := at(1, -1, 0.5)
	toX, toY := at(-3, 2, 0.5)

	v := start()
	_, before := v.Camera(960, 720, poses)
	got := drag(v, fromX, fromY, toX, toY, false)
	// The point that was under the mouse is on the near side of the axis, up to 0.2 m from it.
	if d := got.drag.ToW.Sub(mgl64.Vec3{-3, 2, 0}).Len(); got.drag.Body != "near" || got.drag.Other || !(d < 0.2) {
		t.Errorf("%+v, want near dragged to (-3, 2)", got)
	}
	if _, after := v.Camera(960, 720, poses); after != before {
		t.Error("dragging a body turns the camera")
	}
	if _, again := v.TakeDrop(); again {
		t.Error("one drag is dropped twice")
	}
	if got := drag(start(), fromX, fromY, toX, toY, true); got.drag.Body != "near" || !got.drag.Other ||
		!(math.Hypot(got.drag.ToW[0]+3, got.drag.ToW[1]-2) < 0.2) {
		t.Errorf("%+v with Shift, want near turned to (-3, 2)", got)
	}
	if got := drag(start(), fromX, fromY, fromX+2, fromY+2, false); got.dropped {
		t.Errorf("two pixels drag: %+v", got)
	}
	// Beside all bodies the mouse orbits.
	x, y := at(-5, -2, 0)
	v = start()
	got = drag(v, x, y, x+50, y, false)
	if _, after := v.Camera(960, 720, poses); got.dropped || after == before {
		t.Errorf("%+v, want an orbit", got)
	}
	// A few pixels beside one it is taken all the same.
	x, y = at(5, 0, 0)
	if got := drag(start(), x+30, y, toX, toY, false); got.dropped {
		t.Errorf("%+v, 30 pixels beside", got)
	}
	if got := drag(start(), x-1, y+6, toX, toY, false); got.drag.Body != "beside" {
		t.Errorf("%+v, 6 pixels below beside", got)
	}
	// Towards the horizon, where the mouse meets no floor, the body stays where it was dragged to last.
	v = start()
	v.Handle(Event{Kind: Orbit, Y: -50})
	model, pose := v.Camera(960, 720, poses)
	sight = NewSight(model, pose, 960, 720)
	fromX, fromY = at(1, -1, 0.5)
	if got := drag(v, fromX, fromY, fromX, 2, false); !got.dropped || !(math.Abs(got.drag.ToW[0]-1) < 0.01 &&
		math.Abs(got.drag.ToW[1]+1) < 0.01) {
		t.Errorf("%+v, want near where it was", got)
	}
	// Escape lets go, and closes the window only without a body in the hand.
	v.Handle(Event{Kind: Press, X: fromX, Y: fromY})
	v.Handle(Event{Kind: Orbit, AtX: fromX + 40, AtY: fromY})
	if d, ok := v.Dragging(); !ok || d.Body != "near" {
		t.Fatalf("%+v, %v is dragged, want near", d, ok)
	}
	press(v, string(Escape))
	v.Handle(Event{Kind: Lift})
	if _, ok := v.TakeDrop(); ok || v.Closing() {
		t.Error("Escape does not let go, or closes the window")
	}
	v.Handle(Event{Kind: Release, Key: Escape})
	press(v, string(Escape))
	if !v.Closing() {
		t.Error("Escape does not close the window")
	}
}

// A body that is as high as the camera is dragged over a lower plane: from a robot's camera too, it follows the mouse.
func TestBodiesAreDraggedFromALowCamera(t *testing.T) {
	sight := window()
	sight.PoseWC.Pos = mgl64.Vec3{0, -4, 0.6}
	// towards y, nearly level
	sight.PoseWC.Rot = spatial.RPY(mgl64.Vec3{}, 0, 0.1, math.Pi/2).Mul(spatial.BodyToOptical()).Rot
	v := start()
	v.Show(sight, []Body{post("post", 0, 0)})
	x, y, ok := sight.Project(mgl64.Vec3{0, 0, 0.58})
	if !ok {
		t.Fatal("not seen")
	}
	v.Handle(Event{Kind: Press, X: x, Y: y})
	v.Handle(Event{Kind: Orbit, AtX: x + 80, AtY: y + 60})
	d, ok := v.Dragging()
	if !ok || !(d.ToW[0] > 0 && d.ToW[0] < 2 && d.ToW[1] < 0) {
		t.Errorf("dragged to %v, %v, want to the right and nearer", d.ToW, ok)
	}
}
