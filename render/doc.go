// Package render defines what is drawn (Scene), by which cameras (View), the result (Image, Depth, Truth), and the
// interface of renderers (Renderer). It draws nothing itself: render/internal/gl draws with OpenGL, render/internal/tile and
// render/internal/raycast without, render/internal/pathtrace as light would; render/backend chooses. Package worlds/scenery builds the
// soccer field and its robots as a Scene.
//
// Poses are those of package spatial, in the world frame W; colours of materials and lamps are linear light; images are
// sRGB. A Renderer may be called from any goroutine; it serves one Batch at a time.
//
//	renderer, err := gl.New(scene)
//	defer renderer.Close()
//	view := render.View{Model: optics.PinholeFromFOV(640, 480, 1), PoseWC: pose, Color: render.NewImage(640, 480)}
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}})
package render
