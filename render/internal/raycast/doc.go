// Package raycast renders a render.Scene by casting a ray for every pixel, without OpenGL. It is slower than package gl
// and independent of it: tests compare the two. It serves machines without a driver, and renders the images of cameras
// without a single viewpoint (optics.NonCentral) exactly.
//
// Pixels that show more than one surface are the mean of four rays. Markings, nets and the ball's pattern are averaged
// over the pixel in closed form. A Renderer uses all processors; its images do not depend on their number.
//
//	renderer, err := raycast.New(scene)
//	defer renderer.Close()
//	err = renderer.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}})
package raycast
