// Package raycast draws a render.Scene without OpenGL, by following every pixel's ray. It is slower than package gl and
// independent of it: the two check each other. It draws where there is no driver, and cameras without a single
// viewpoint (optics.NonCentral) exactly.
//
// Pixels in which more than one thing is seen are the mean of four rays; markings, nets and the ball's pattern are
// averaged over the pixel by formula. A Renderer uses all processors; its pictures do not depend on how many there are.
//
//	renderer, err := raycast.New(scene)
//	defer renderer.Close()
//	err = renderer.Render(&render.Frame{PosesWB: poses, Views: []render.View{view}})
package raycast
