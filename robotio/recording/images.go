package recording

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// ImageFormat is the format of recorded images: one of the formats below, or JPEGImages with a quality from 1 to 100,
// as in "jpeg:95".
type ImageFormat string

// These are the image formats. JPEG cannot hold images of 16 bits: they become PNG. PNG cannot hold floating-point
// numbers: such images stay unchanged.
const (
	RawImages  ImageFormat = ""     // as sensor_msgs/Image
	PNGImages  ImageFormat = "png"  // exact
	JPEGImages ImageFormat = "jpeg" // lossy, several times smaller; quality 80, as in image_transport
)

const jpegQuality = 80

// Validate reports an unknown format.
func (f ImageFormat) Validate() error {
	_, _, err := f.parse()
	return err
}

// parse splits a format into name and quality.
func (f ImageFormat) parse() (name ImageFormat, quality int, err error) {
	text, number, given := strings.Cut(string(f), ":")
	name, quality = ImageFormat(text), jpegQuality
	if given {
		quality, err = strconv.Atoi(number)
	}
	switch {
	case name != RawImages && name != PNGImages && name != JPEGImages, given && name != JPEGImages, err != nil,
		quality < 1 || quality > 100:
		return "", 0, fmt.Errorf("images = %q: must be png, jpeg, jpeg:Q with a quality Q from 1 to 100, or nothing",
			string(f))
	}
	return name, quality, nil
}

// These are message types.
const (
	imageType      = "sensor_msgs/Image"
	compressedType = "sensor_msgs/CompressedImage"
)

// Images is a topic whose images are recorded compressed. They become messages of sensor_msgs/CompressedImage on the
// topic name/compressed, as with image_transport. Many goroutines may use it.
type Images struct {
	compressor    *compressor
	format        ImageFormat
	quality       int
	plain, packed *Channel
}

// Images adds a topic of images of type def, sensor_msgs/Image. callerid is the publishing node.
func (w *Writer) Images(topic string, f ImageFormat, def *msg.Definition, callerid string) (*Images, error) {
	lib, err := msg.Load("nubot")
	if err != nil {
		return nil, err
	}
	compressed, err := lib.Message(compressedType)
	if err != nil {
		return nil, err
	}
	x := &Images{}
	if x.format, x.quality, err = f.parse(); err != nil {
		return nil, err
	}
	if x.plain, err = w.ROSChannel(topic, def, callerid, false); err != nil {
		return nil, err
	}
	if x.packed, err = w.ROSChannel(topic+"/compressed", compressed, callerid, false); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.err != nil {
		return nil, fmt.Errorf("recording %s: topic %s: the recording has ended", w.file.out.Path(), topic)
	}
	if w.compressor == nil {
		w.compressor = newCompressor(w.opts)
	}
	x.compressor = w.compressor
	return x, nil
}

// Write records an image, an encoded message. It copies data and returns. If earlier images fill the queue, it waits; a
// caller that must not wait uses another goroutine. After the end of the recording it does nothing.
func (x *Images) Write(logTime, publishTime time.Duration, data []byte) {
	x.compressor.put(x, logTime, publishTime, data)
}

// compressor compresses images in its own goroutines, and keeps their order.
type compressor struct {
	budget
	todo  chan *job // read by the compressing goroutines
	order chan *job // read by the writing goroutine, in order
	done  chan struct{}
	spare sync.Pool
}

// job is one image.
type job struct {
	images               *Images
	cost                 int // bytes of the budget
	logTime, publishTime time.Duration
	data                 []byte
	packed               bytes.Buffer // empty if the image stays unchanged
	ready                chan struct{}
}

// maxJobs bounds the images in the queue: each costs at least 1/maxJobs of the budget. A guess.
const maxJobs = 1024

func newCompressor(o Options) *compressor {
	c := &compressor{todo: make(chan *job, maxJobs), order: make(chan *job, maxJobs), done: make(chan struct{})}
	c.budget.init(o)
	c.patience = forever
	c.spare.New = func() any { return &job{ready: make(chan struct{}, 1)} }
	for range max(1, runtime.GOMAXPROCS(0)/2) { // leave processors to the simulation
		go c.work()
	}
	go c.write()
	return c
}

// put copies an image into the queue.
func (c *compressor) put(x *Images, logTime, publishTime time.Duration, data []byte) {
	cost := max(len(data), c.limit/maxJobs+1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.acquire(cost) != nil {
		return
	}
	j := c.spare.Get().(*job)
	j.images, j.cost, j.logTime, j.publishTime, j.data = x, cost, logTime, publishTime, append(j.data[:0], data...)
	c.order <- j // which has space: the budget bounds the jobs
	c.todo <- j
}

// work compresses images.
func (c *compressor) work() {
	var p picture
	for j := range c.todo {
		j.packed.Reset()
		if err := p.compress(&j.packed, j.data, j.images.format, j.images.quality); err != nil {
			j.packed.Reset()
		}
		j.ready <- struct{}{}
	}
}

// write records compressed images.
func (c *compressor) write() {
	defer close(c.done)
	for j := range c.order {
		<-j.ready
		if j.packed.Len() > 0 {
			j.images.packed.Write(j.logTime, j.publishTime, j.packed.Bytes())
		} else {
			j.images.plain.Write(j.logTime, j.publishTime, j.data)
		}
		cost := j.cost
		c.spare.Put(j)
		c.release(cost)
	}
}

// finish records all queued images. Later images are dropped.
func (c *compressor) finish() {
	c.close()
	c.mu.Lock() // no put is running now
	close(c.todo)
	close(c.order)
	c.mu.Unlock()
	<-c.done
}
