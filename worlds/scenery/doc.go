// Package scenery builds a render.Scene from a physics.Model. The scene has the field, goals, boards, robots, obstacles
// and the ball, and the hall around them. The package renders nothing and moves nothing.
//
// Lengths are in m. The frames of bodies are those of the physics: on the floor for robots and obstacles, at the centre
// for the ball. A Scene does not change once a renderer has it. Only the goroutine that steps may call Hang and Poses.
//
//	s := scenery.Build(scene, nil)
//	renderer, err := gl.New(s.Scene)
//	poses = s.Poses(&snapshot, poses)
//	own := render.Hidden{Body: s.Robot(0), Part: scenery.Mirror}
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: views})
package scenery
