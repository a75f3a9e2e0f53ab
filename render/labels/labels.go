// Package labels computes, for each pixel of a view, which part of which body it shows. It follows rays and needs
// neither light nor C.
//
//	labeler, err := labels.New(scene)
//	labeler.Labels(&view, posesWB, codes, nil, &picture)
package labels

import (
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
)

// Labeler computes, for each pixel, the body and the part that it shows. It must be used by one goroutine at a time.
type Labeler = raycast.Labeler

// Picture holds the labels of a view's pixels.
type Picture = raycast.Picture

// None is the label of a pixel that shows no body, but the floor, the hall, or nothing.
const None = raycast.NoLabel

// New prepares a scene, which must not change afterwards.
func New(scene *render.Scene) (*Labeler, error) { return raycast.NewLabeler(scene) }
