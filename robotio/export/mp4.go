package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// ErrNoFFmpeg says that the machine has no ffmpeg, which encodes MP4.
var ErrNoFFmpeg = errors.New("ffmpeg is not installed, which MP4 needs: apt-get install ffmpeg, or make a GIF")

// ErrFFmpeg is what an ffmpeg that fails ends with.
var ErrFFmpeg = errors.New("ffmpeg")

// MP4 has ffmpeg write a film as H.264 in MP4.
type MP4 struct {
	ctx    context.Context
	path   string
	rate   float64
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr bytes.Buffer
}

// NewMP4 begins a film of rate frames a second in a file of any name, which it replaces. It fails with ErrNoFFmpeg. The
// film ends with ctx. The caller calls Close.
func NewMP4(ctx context.Context, path string, rate float64) (*MP4, error) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return nil, ErrNoFFmpeg
	}
	return &MP4{ctx: ctx, path: path, rate: rate}, nil
}

// Add appends a frame.
func (f *MP4) Add(m *image.RGBA) error {
	if f.cmd == nil {
		if err := f.start(m.Rect.Size()); err != nil {
			return err
		}
	}
	if _, err := f.stdin.Write(m.Pix); err != nil {
		return f.ended(err)
	}
	return nil
}

func (f *MP4) start(size image.Point) error {
	f.cmd = exec.CommandContext(f.ctx, "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
		"-f", "rawvideo", "-pixel_format", "rgba", "-video_size", fmt.Sprintf("%dx%d", size.X, size.Y), "-framerate",
		strconv.FormatFloat(f.rate, 'g', -1, 64), "-i", "pipe:0",
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", // yuv420p has no odd sizes
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", "file:"+f.path)
	f.cmd.Stderr = &f.stderr
	var err error
	if f.stdin, err = f.cmd.StdinPipe(); err == nil {
		err = f.cmd.Start()
	}
	if err != nil {
		f.cmd = nil
		return fmt.Errorf("%w: %w", ErrFFmpeg, err)
	}
	return nil
}

// ended tells why ffmpeg has.
func (f *MP4) ended(err error) error {
	_ = f.stdin.Close()
	if waited := f.cmd.Wait(); waited != nil {
		err = waited
	}
	f.cmd = nil
	if said, _, _ := strings.Cut(strings.TrimSpace(f.stderr.String()), "\n"); said != "" {
		return fmt.Errorf("%w: %.300s", ErrFFmpeg, said)
	}
	return fmt.Errorf("%w: %w", ErrFFmpeg, err)
}

// End waits for ffmpeg to write what is left.
func (f *MP4) End() error {
	if f.cmd == nil {
		return errNoPicture
	}
	err := f.stdin.Close()
	if waited := f.cmd.Wait(); waited != nil {
		return f.ended(waited)
	}
	f.cmd = nil
	return err
}

// Close ends ffmpeg where End has not.
func (f *MP4) Close() {
	if f.cmd != nil {
		_ = f.cmd.Process.Kill()
		_ = f.stdin.Close()
		_ = f.cmd.Wait()
	}
}
