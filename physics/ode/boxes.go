package ode

import "github.com/omnipitch/omnipitch/physics"

const (
	// wallThickness and wallTop are those of the boards around the border as bodies, in metres: nothing passes, and no
	// robot leans over. For the ball alone they end at Field.WallHeight: what flies higher leaves the hall.
	wallThickness = 2.0
	wallTop       = 4.0
	// netBounce is the share of its speed that the ball keeps off the net, which takes hold of it nowhere: a net that
	// rubbed would spin the ball, and the floor would send it out again. Guesses: a loose net swallows the ball.
	netBounce   = 0.05
	netFriction = 0
)

// fixedBox stands still.
type fixedBox struct {
	physics.Box
	ballTop  float64 // height up to which it stops the ball
	friction float64 // coefficient against the ball
	bounce   float64 // share of its speed that the ball keeps
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
	add := func(b physics.Box, ballTop, friction, bounce float64) {
		boxes = append(boxes, fixedBox{Box: b, ballTop: ballTop, friction: friction, bounce: bounce})
	}
	rub, bounce := scene.Config.BodyFriction, scene.Ball.Restitution
	for _, b := range boards {
		add(b, f.WallHeight, rub, bounce)
	}
	for _, g := range f.Goals() {
		for _, b := range f.GoalFrame(g) {
			add(b, b.Max[2], rub, bounce)
		}
		for _, b := range f.GoalCage(g) {
			add(b, b.Max[2], netFriction, netBounce)
		}
	}
	return boxes
}
