// Package viewer is the state of a window on a scene: the camera's pose, what mouse and keys change, and what is
// written over the image. It opens no window and renders no scene; package window opens the window, and a
// render.Renderer renders the scene. A Viewer belongs to one goroutine.
//
//	v := viewer.New(targets, cameras)
//	v.Handle(viewer.Event{Kind: viewer.Key, Key: 'H'})
//	model, poseWC := v.Camera(960, 720, posesWB)
//	v.Write(picture, insets, "12.3 s, 1.00 × real time")
package viewer
