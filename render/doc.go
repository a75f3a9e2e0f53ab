// Package render defines what is drawn (Scene), by which cameras (View), the result (Image, Depth, Truth), and the
// interface of renderers (Renderer). It renders nothing itself. The renderers are in render/internal: gl renders with
// OpenGL, tile and raycast on the processor, and pathtrace traces paths of light. Package render/backend chooses a
// renderer. Package worlds/scenery builds the soccer field and its robots as a Scene.
//
// Poses are those of package spatial, in the world frame W. Colours of materials and lamps are linear light; images are
// sRGB. A Renderer may be called from any goroutine; it renders one Batch at a time.
//
//	renderer, err := backend.Choose(backend.Auto, scene).New(scene)
//	defer renderer.Close()
//	view := render.View{Model: optics.PinholeFromFOV(640, 480, 1), PoseWC: pose, Color: render.NewImage(640, 480)}
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}})
package render
