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

// ImageFormat says how images are recorded: one of the formats below, or JPEGImages with a quality from 1 to 100, as in
// "jpeg:95".
type ImageFormat string

// The formats. An image that JPEG cannot hold, of 16 bits, becomes PNG; one that PNG cannot hold, of floating-point
// numbers, stays as it is.
const (
	RawImages  ImageFormat = ""     // as sensor_msgs/Image
	PNGImages  ImageFormat = "png"  // exact
	JPEGImages ImageFormat = "jpeg" // lossy, several times smaller; of image_transport's quality, 80
)

const jpegQuality = 80

// Validate reports a format that there is not.
func (f ImageFormat) Validate() error {
	_, _, err := f.parse()
	return err
}

// parse returns a format without its quality, and that.
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

// The types of messages.
const (
	imageType      = "sensor_msgs/Image"
	compressedType = "sensor_msgs/CompressedImage"
)

// Images is a topic whose images are recorded compressed, as messages of sensor_msgs/CompressedImage on the topic that
// image_transport gives them, name/compressed. It is safe for use by many goroutines.
type Images struct {
	compressor    *compressor
	format        ImageFormat
	quality       int
	plain, packed *Channel
}

// Images adds a topic of images of the type def, sensor_msgs/Image, as the node callerid publishes them.
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
		return nil, fmt.Errorf("recording %s: topic %s: it has ended", w.file.out.Path(), topic)
	}
	if w.compressor == nil {
		w.compressor = newCompressor(w.opts)
	}
	x.compressor = w.compressor
	return x, nil
}

// Write records an image, an encoded message. It copies data and returns, but waits while the images before it take too
// much memory: whoever must not wait writes from another goroutine. When the recording has ended it does nothing.
func (x *Images) Write(logTime, publishTime time.Duration, data []byte) {
	x.compressor.put(x, logTime, publishTime, data)
}

// compressor compresses images beside those who write them. It keeps their order.
type compressor struct {
	budget
	todo  chan *job // for whoever has time
	order chan *job // for the one who writes what has been compressed
	done  chan struct{}
	spare sync.Pool
}

// job is one image.
type job struct {
	images               *Images
	cost                 int // of the budget
	logTime, publishTime time.Duration
	data                 []byte
	packed               bytes.Buffer // empty where the image stays as it is
	ready                chan struct{}
}

// maxJobs bounds the images that wait: small ones count as the maxJobs-th part of the budget. A guess.
const maxJobs = 1024

func newCompressor(o Options) *compressor {
	c := &compressor{todo: make(chan *job, maxJobs), order: make(chan *job, maxJobs), done: make(chan struct{})}
	c.budget.init(o)
	c.patience = forever
	c.spare.New = func() any { return &job{ready: make(chan struct{}, 1)} }
	for range max(1, runtime.GOMAXPROCS(0)/2) { // the simulation needs processors, too
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
	c.order <- j // which has room, since that of each job is paid for
	c.todo <- j
}

// work compresses.
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

// write records what has been compressed.
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

// finish records what waits, and takes nothing any more.
func (c *compressor) finish() {
	c.close()
	c.mu.Lock() // nobody is in put
	close(c.todo)
	close(c.order)
	c.mu.Unlock()
	<-c.done
}
