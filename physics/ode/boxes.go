package ode

import "github.com/omnipitch/omnipitch/physics"

const (
	// wallThickness and wallTop are those of the boards around the border as bodies, in metres: nothing passes, and no
	// robot leans over. For the ball alone they end at Field.WallHeight: what flies higher leaves the hall.
	wallThickness = 2.0
	wallTop       = 4.0
	// netBounce is the share of its speed that the ball keeps off the net. Guess: it hardly comes back.
	netBounce = 0.1
)

// fixedBox stands still.
type fixedBox struct {
	physics.Box
	ballTop float64 // height up to which it stops the ball
	bounce  float64 // share of its speed that the ball keeps
}

// fixedBoxes returns the boards and the goals of a scene.
func fixedBoxes(scene *physics.Scene) []fixedBox {
	f := &scene.Field
	x, y := f.Length/2+f.Border, f.Width/2+f.Border
	const t = wallThickness
	boards := [...]physics.Box{
		{Min: [3]float64{x, -y - t, 0}, Max: [3]float64{x + t, y + t, wallTop}},
		{Min: [3]float64{-x - t, -y - t, 0}, Max: [3]float64{-x, y + t, wallTop}},
		{Min: [3]float64{-x, y, 0}, Max: [3]float64{x, y + t, wallTop}},
		{Min: [3]float64{-x, -y - t, 0}, Max: [3]float64{x, -y, wallTop}},
	}
	var boxes []fixedBox
	for _, b := range boards {
		boxes = append(boxes, fixedBox{Box: b, ballTop: f.WallHeight, bounce: scene.Ball.Restitution})
	}
	for _, g := range f.Goals() {
		for _, b := range f.GoalFrame(g) {
			boxes = append(boxes, fixedBox{Box: b, ballTop: b.Max[2], bounce: scene.Ball.Restitution})
		}
		for _, b := range f.GoalCage(g) {
			boxes = append(boxes, fixedBox{Box: b, ballTop: b.Max[2], bounce: netBounce})
		}
	}
	return boxes
}
