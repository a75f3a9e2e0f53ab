// Package viewer is what a person does with a window on a scene: where the eye is, what mouse and keys change, and what
// is written over the picture. It opens no window and draws no scene; package window does the one, a render.Renderer
// the other. A Viewer belongs to one goroutine.
//
//	v := viewer.New(targets, cameras)
//	v.Handle(viewer.Event{Kind: viewer.Key, Key: 'H'})
//	model, poseWC := v.Eye(960, 720, posesWB)
//	v.Write(picture, insets, "12.3 s, 1.00 × real time")
package viewer
