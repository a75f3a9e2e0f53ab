// Package scenery builds what there is to see, a render.Scene, out of what there is to push, a physics.Model: field,
// goals, boards, robots, obstacles and ball, and the hall around them. It draws nothing and moves nothing.
//
// Lengths are metres; body frames are those of the physics: robots and obstacles stand on their frame's floor, the
// ball's frame is its centre. Its Scene does not change once a
// renderer has it; Hang and Poses belong to the goroutine that steps.
//
//	s := scenery.Build(scene, nil)
//	renderer, err := gl.New(s.Scene)
//	poses = s.Poses(&snapshot, poses)
//	own := render.Hidden{Body: s.Robot(0), Part: scenery.Mirror}
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: views})
package scenery
