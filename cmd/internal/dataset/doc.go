// Package dataset makes labelled images of a world with random values, for who trains a vision: the world is drawn anew
// for each scene, and for each moment of a scene its bodies are placed anew. What is written depends on the arguments
// alone, and on neither the number of processors nor on how often it was interrupted.
//
// A scene is one draw of the world by a seed: light, colours, wear, who is about, the cameras and their faults. A
// moment is another draw of where the ball, robots and obstacles are, and of the events of time 0, in which robots
// drive and light changes; it ends a frame's time later, so that what moves has moved since the frame before. Each
// camera takes an image of each moment. Frames of images and coordinates are those of package output; a pixel (0, 0) is
// the middle of the top-left one.
package dataset
