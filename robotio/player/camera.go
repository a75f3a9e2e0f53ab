package player

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Formats of images.
const (
	mono16 = 2 // 16-bit grey values, big-endian
	rgb888 = 5
)

// sensors returns the configurations of the robot's sensors of the given kinds.
func (p *port) sensors(kinds ...sensors.Kind) (all []*sensors.Config) {
	for i := range p.robot.Sensors {
		for _, k := range kinds {
			if c := &p.robot.Sensors[i]; c.Kind == k {
				all = append(all, c)
			}
		}
	}
	return all
}

func (p *port) cameras() []*sensors.Config {
	return p.sensors(sensors.OmniKind, sensors.CameraKind, sensors.KinectKind, sensors.StereoKind)
}

// images is a device of the interface camera.
type images struct {
	*device
	waits   atomic.Bool // a request waits for the next image
	mu      sync.Mutex
	waiting []answer
}

// camera adds a device for each camera, for its colour images at levels raw and ideal. A Kinect or a stereo pair has a
// second device, for its depth images.
func (p *port) camera() {
	for _, cfg := range p.cameras() {
		p.images(cfg, cfg.Name, func(d *images, o *sensors.Observation) {
			if o.Color != nil {
				d.publish(o, o.Color.Width, o.Color.Height, 24, rgb888, 1, func(m *message) {
					m.retainTail(o.Color.Pix, o)
				})
			}
		})
		if _, _, ok := cfg.DepthRange(); !ok {
			continue
		}
		p.images(cfg, cfg.Name+" depth", func(d *images, o *sensors.Observation) {
			if o.Depth != nil {
				d.publish(o, o.Depth.Width, o.Depth.Height, 16, mono16, depthPerMetre, func(m *message) {
					for _, z := range o.Depth.Z {
						m.b = binary.BigEndian.AppendUint16(m.b, depth(float64(z)))
					}
					m.b = append(m.b, padding[:pad(2*len(o.Depth.Z))]...)
				})
			}
		})
	}
}

// maxWaiting is the number of requests that wait for an image of a camera, whose level may have no images. A guess.
const maxWaiting = 64

// depthPerMetre is the pixel value of a depth of 1 m.
const depthPerMetre = 1000

// depth converts a depth in m to a pixel. 0 is no depth: too near or too far.
func depth(z float64) uint16 {
	if v := z*depthPerMetre + 0.5; v < math.MaxUint16+1 {
		return uint16(v)
	}
	return 0
}

func (p *port) images(cfg *sensors.Config, driver string, observe func(*images, *sensors.Observation)) {
	d := &images{device: p.add(cameraInterface, driver)}
	d.requests[3] = func(_ *reader, reply answer) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if len(d.waiting) >= maxWaiting {
			reply(nil, errors.New("too many requests wait for an image"))
			return
		}
		d.waiting = append(d.waiting, reply)
		d.waits.Store(true)
	}
	d.listen(cfg.Name, abstraction.Level.Rendered, func(o *sensors.Observation) { observe(d, o) })
}

// publish sends an image, and answers the requests that wait for it. The function pixels adds the pixels to the
// message.
func (d *images) publish(o *sensors.Observation, width, height, bits, format, divisor int, pixels func(*message)) {
	m := d.data(1, o.Stamp)
	m.b = appendInts(m.b, width, height, bits, format, divisor, 0) // not compressed
	m.b = appendCount(m.b, width*height*bits/8)
	pixels(m)
	if d.waits.Swap(false) {
		d.mu.Lock()
		waiting := d.waiting
		d.waiting = nil
		d.mu.Unlock()
		payload := append(append(m.b[headerSize:len(m.b):len(m.b)], m.tail...), padding[:pad(len(m.tail))]...)
		for _, reply := range waiting {
			reply(payload, nil)
		}
	}
	d.send(m)
}
