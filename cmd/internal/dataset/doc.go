// Package dataset makes labelled images of a world with random values, for training a vision. Each scene is a new draw
// of the world, and in each moment of a scene the bodies are at new positions. The result depends only on the
// arguments, not on the number of processors or on interruptions.
//
// A scene is one draw of the world with a seed: light, colours, wear, people, cameras and their faults. A moment is
// another draw of the positions of ball, robots and obstacles, and of the events at time 0, which make robots move and
// light change. The image is taken a frame's time later, so that moving bodies have moved since the frame before. Each
// camera takes an image in each moment. Coordinate frames are those of package output; pixel (0, 0) is the centre of
// the top-left pixel.
package dataset
