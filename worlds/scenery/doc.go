// Package scenery builds a render.Scene from a physics.Model: field, goals, boards, robots, obstacles and ball, and the
// hall around them. It renders nothing and moves nothing.
//
// Lengths are metres. Body frames are those of the physics: on the floor for robots and obstacles, at the centre for
// the ball. A Scene does not change once a renderer has it. Hang and Poses belong to the goroutine that steps.
//
//	s := scenery.Build(scene, nil)
//	renderer, err := gl.New(s.Scene)
//	poses = s.Poses(&snapshot, poses)
//	own := render.Hidden{Body: s.Robot(0), Part: scenery.Mirror}
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: views})
package scenery
