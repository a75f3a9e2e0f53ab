package recording

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// ImageFormat is the format in which images are recorded. It is one of the constants below. JPEGImages may be followed
// by a quality from 1 to 100, as in "jpeg:95".
type ImageFormat string

// Formats of images. JPEG cannot hold images with 16 bits per channel, so such images are stored as PNG. PNG cannot
// hold floating-point numbers, so such images are stored unchanged.
const (
	RawImages  ImageFormat = ""     // as sensor_msgs/Image
	PNGImages  ImageFormat = "png"  // exact
	JPEGImages ImageFormat = "jpeg" // lossy, several times smaller; quality 80, as in image_transport
)

const jpegQuality = 80

// Validate returns an error if the format is unknown.
func (f ImageFormat) Validate() error {
	_, _, err := f.parse()
	return err
}

// parse splits a format into its name and its quality.
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

// Names of message types.
const (
	imageType      = "sensor_msgs/Image"
	compressedType = "sensor_msgs/CompressedImage"
)

// Images is a topic whose images are recorded in compressed form. They become messages of type
// sensor_msgs/CompressedImage on the topic name/compressed, as image_transport names it. Many goroutines may use an
// Images at the same time.
type Images struct {
	compressor    *compressor
	ros2          bool
	format        ImageFormat
	quality       int
	plain, packed *Channel
}

// Images adds a topic of images. def is the definition of sensor_msgs/Image, and callerid is the name of the publishing
// node.
func (w *Writer) Images(topic string, f ImageFormat, def *msg.Definition, callerid string) (*Images, error) {
	lib, err := msg.Load("std")
	if def.ROS2() {
		lib, err = msg.LoadROS2("jazzy")
	}
	if err != nil {
		return nil, err
	}
	compressed, err := lib.Message(compressedType)
	if err != nil {
		return nil, err
	}
	x := &Images{ros2: def.ROS2()}
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

// Write records an image, which is an encoded message. It copies data, so the caller may change data afterwards. If the
// queue is full, Write waits. A caller that must not wait has to call Write from another goroutine. After the end of
// the recording, Write does nothing.
func (x *Images) Write(logTime, publishTime time.Duration, data []byte) {
	x.compressor.put(x, logTime, publishTime, data)
}

// compressor compresses images in several goroutines, and keeps the images in order.
type compressor struct {
	budget
	todo  chan *job // the compressing goroutines receive jobs from this channel
	order chan *job // the writing goroutine receives jobs from this channel, in the order of the images
	done  chan struct{}
	spare sync.Pool
}

// job is one image that is being compressed.
type job struct {
	images               *Images
	cost                 int // number of bytes of the budget that the job uses
	logTime, publishTime time.Duration
	data                 []byte
	packed               bytes.Buffer // the compressed image; empty if the image is stored unchanged
	ready                chan struct{}
}

// maxJobs is the maximum number of images in the queue: each image takes at least 1/maxJobs of the budget. 1024 is a
// guess.
const maxJobs = 1024

func newCompressor(o Options) *compressor {
	c := &compressor{todo: make(chan *job, maxJobs), order: make(chan *job, maxJobs), done: make(chan struct{})}
	c.budget.init(o)
	c.patience = forever
	c.spare.New = func() any { return &job{ready: make(chan struct{}, 1)} }
	for range max(1, runtime.GOMAXPROCS(0)/2) { // leave half of the processors to the simulation
		go c.work()
	}
	go c.write()
	return c
}

// put copies an image into the queue of images.
func (c *compressor) put(x *Images, logTime, publishTime time.Duration, data []byte) {
	cost := max(len(data), c.limit/maxJobs+1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.acquire(cost) != nil {
		return
	}
	j := c.spare.Get().(*job)
	j.images, j.cost, j.logTime, j.publishTime, j.data = x, cost, logTime, publishTime, append(j.data[:0], data...)
	c.order <- j // order has space, because the budget limits the number of jobs
	c.todo <- j
}

// work compresses images.
func (c *compressor) work() {
	var p picture
	for j := range c.todo {
		j.packed.Reset()
		if err := p.compress(&j.packed, j.data, j.images.ros2, j.images.format, j.images.quality); err != nil {
			j.packed.Reset()
		}
		j.ready <- struct{}{}
	}
}

// write records the compressed images in their order.
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

// finish records all images in the queue. Images that come later are dropped.
func (c *compressor) finish() {
	c.close()
	c.mu.Lock() // when the lock is held, no put is running
	close(c.todo)
	close(c.order)
	c.mu.Unlock()
	<-c.done
}
