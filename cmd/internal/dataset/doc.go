// Package dataset makes labelled images of a world with random values, for training a vision. Each scene has new random
// values, and in each moment of a scene the bodies are at new random positions. The result depends only on the
// arguments, not on the number of processors or on interruptions.
//
// The seed of a scene determines its random values: light, colours, wear, people, cameras and the faults of cameras.
// For each moment of the scene, new random values are chosen for the positions of ball, robots and obstacles, and for
// the events at time 0, which make robots move and light change. The image is taken one frame period later, so that
// moving bodies have moved since the frame before. Each camera takes an image in each moment. Coordinate frames are
// those of package output; pixel (0, 0) is the centre of the top-left pixel.
package dataset
