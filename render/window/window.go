// Package window shows images in a window and returns the user's input. It renders no scene. All calls must come from
// one locked thread; on macOS that must be the first thread of the process.
package window

import (
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"runtime"
	"strings"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
)

// ErrNoDisplay is wrapped by the errors of Open if there is no display.
var ErrNoDisplay = errors.New("no display")

// Window is an open window.
type Window struct {
	glfw    *glfw.Window
	events  []viewer.Event
	texture uint32
	frame   uint32 // framebuffer from which the texture is copied to the window
	width   int    // of the texture
	height  int
	x, y    float64 // of the mouse, pixels
	button  glfw.MouseButton
	dragged bool // whether a button of the mouse is pressed
}

// Open opens a window. It fails if there is no display (ErrNoDisplay), or if the display does not support OpenGL.
func Open(title string, width, height int) (w *Window, err error) {
	release, err := connect()
	if err != nil {
		return nil, err
	}
	defer release()
	logged, err := captureLog(glfw.Init)
	defer func() { // GLFW panics if a display does not answer, or if it is closed meanwhile
		if r := recover(); r != nil && logged != "" {
			w, err = nil, fmt.Errorf("%w: %s", ErrNoDisplay, logged)
		} else if r != nil {
			w, err = nil, fmt.Errorf("%w: %v", ErrNoDisplay, r)
		}
	}()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDisplay, err)
	}
	glfw.WindowHint(glfw.ContextVersionMajor, 4)
	glfw.WindowHint(glfw.ContextVersionMinor, 1)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	glfw.WindowHint(glfw.OpenGLForwardCompatible, glfw.True)
	g, err := glfw.CreateWindow(width, height, title, nil, nil)
	if err != nil {
		glfw.Terminate()
		return nil, fmt.Errorf("%w: %w", ErrNoDisplay, err)
	}
	w = &Window{glfw: g}
	g.MakeContextCurrent()
	glfw.SwapInterval(0)
	if err := gl.InitWithProcAddrFunc(glfw.GetProcAddress); err != nil {
		w.Close()
		return nil, fmt.Errorf("%w: %w", ErrNoDisplay, err)
	}
	gl.GenTextures(1, &w.texture)
	gl.GenFramebuffers(1, &w.frame)
	w.listen()
	return w, nil
}

// keys maps GLFW's keys to those of package viewer, except letters.
var keys = map[glfw.Key]rune{
	glfw.KeySpace: ' ', glfw.KeyEscape: viewer.Escape,
	glfw.KeyLeft: viewer.Left, glfw.KeyRight: viewer.Right, glfw.KeyUp: viewer.Up, glfw.KeyDown: viewer.Down,
	glfw.KeyLeftShift: viewer.Shift, glfw.KeyRightShift: viewer.Shift,
	glfw.KeyPageUp: viewer.PageUp, glfw.KeyPageDown: viewer.PageDown, glfw.KeyHome: viewer.Home,
}

func (w *Window) listen() {
	w.glfw.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, _ int, action glfw.Action, _ glfw.ModifierKey) {
		kind := viewer.Key
		if action == glfw.Release { // GLFW releases all keys when the window loses the keyboard focus
			kind = viewer.Release
		}
		if key >= glfw.KeyA && key <= glfw.KeyZ {
			w.events = append(w.events, viewer.Event{Kind: kind, Key: 'A' + rune(key-glfw.KeyA)})
		} else if r, ok := keys[key]; ok {
			w.events = append(w.events, viewer.Event{Kind: kind, Key: r})
		}
	})
	// by character, because the position of keys depends on the keyboard layout
	w.glfw.SetCharCallback(func(_ *glfw.Window, c rune) {
		if c == '+' || c == '-' || c == '.' {
			w.events = append(w.events, viewer.Event{Kind: viewer.Key, Key: c}, viewer.Event{Kind: viewer.Release,
				Key: c})
		}
	})
	w.glfw.SetMouseButtonCallback(func(_ *glfw.Window, button glfw.MouseButton, action glfw.Action,
		_ glfw.ModifierKey) {
		if w.dragged && button != w.button { // one button at a time
			return
		}
		w.dragged, w.button = action == glfw.Press, button
	})
	w.glfw.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		x, y = w.pixel(x, y)
		if w.dragged {
			kind := viewer.Orbit
			if w.button != glfw.MouseButtonLeft {
				kind = viewer.Pan
			}
			w.events = append(w.events, viewer.Event{Kind: kind, X: x - w.x, Y: y - w.y})
		}
		w.x, w.y = x, y
	})
	w.glfw.SetScrollCallback(func(_ *glfw.Window, _, y float64) {
		w.events = append(w.events, viewer.Event{Kind: viewer.Scroll, Y: y})
	})
}

// pixel converts a position of the mouse to pixels. The position is relative to the window's corner, in the system's
// units.
func (w *Window) pixel(x, y float64) (float64, float64) {
	width, height := w.glfw.GetSize()
	wide, high := w.Size()
	return x * float64(wide) / float64(max(width, 1)), y * float64(high) / float64(max(height, 1))
}

// Events returns the user's input since the last call. The slice is valid until the next call.
func (w *Window) Events() []viewer.Event {
	w.events = w.events[:0]
	glfw.PollEvents()
	return w.events
}

// Size returns the window's size in pixels. It is never 0.
func (w *Window) Size() (width, height int) {
	width, height = w.glfw.GetFramebufferSize()
	return max(width, 1), max(height, 1)
}

// Closing reports whether the user has closed the window.
func (w *Window) Closing() bool { return w.glfw.ShouldClose() }

// Show fills the window with an image.
func (w *Window) Show(im *render.Image) error {
	gl.BindTexture(gl.TEXTURE_2D, w.texture)
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 1)
	if w.width != im.Width || w.height != im.Height {
		w.width, w.height = im.Width, im.Height
		gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, 0)
		gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGB8, int32(im.Width), int32(im.Height), 0, gl.RGB, gl.UNSIGNED_BYTE,
			gl.Ptr(&im.Pix[0]))
		gl.BindFramebuffer(gl.READ_FRAMEBUFFER, w.frame)
		gl.FramebufferTexture2D(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, w.texture, 0)
	} else {
		gl.TexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, int32(im.Width), int32(im.Height), gl.RGB, gl.UNSIGNED_BYTE,
			gl.Ptr(&im.Pix[0]))
	}
	width, height := w.Size()
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, w.frame)
	gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, 0)
	// Images begin with the top row, and windows begin with the bottom row.
	gl.BlitFramebuffer(0, 0, int32(im.Width), int32(im.Height), 0, int32(height), int32(width), 0, gl.COLOR_BUFFER_BIT,
		gl.NEAREST)
	if code := gl.GetError(); code != gl.NO_ERROR {
		return fmt.Errorf("render/window: OpenGL error %#x", code)
	}
	w.glfw.SwapBuffers()
	return nil
}

// Close closes the window.
func (w *Window) Close() {
	w.glfw.Destroy()
	glfw.Terminate()
}

// captureLog calls a function that uses GLFW, and returns the messages that GLFW's Go bindings logged. For some errors,
// they log a message instead of returning an error.
func captureLog(call func() error) (logged string, err error) {
	var text strings.Builder
	flags, to := log.Flags(), log.Writer()
	log.SetFlags(0)
	log.SetOutput(&text)
	defer func() {
		log.SetFlags(flags)
		log.SetOutput(to)
	}()
	err = call()
	return strings.TrimSpace(text.String()), err
}

// connect fails if there is certainly no display. GLFW itself would only log this, and panic at the next call. The
// returned function release closes the connection to the display server. It must be called only after GLFW has
// connected: a server restarts when its last client disconnects, and refuses connections meanwhile.
func connect() (release func(), err error) {
	release = func() {}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return release, nil
	}
	display := os.Getenv("DISPLAY") // also on Wayland, because GLFW is built for X11
	if display == "" && os.Getenv("WAYLAND_DISPLAY") != "" {
		return nil, fmt.Errorf("%w: DISPLAY is not set; on Wayland the window needs Xwayland, which sets it",
			ErrNoDisplay)
	}
	if display == "" {
		return nil, fmt.Errorf("%w: DISPLAY is not set", ErrNoDisplay)
	}
	number, local := strings.CutPrefix(strings.TrimPrefix(display, "unix"), ":")
	if !local {
		return release, nil // a display on another machine cannot be tested this way
	}
	number, _, _ = strings.Cut(number, ".")
	socket := "/tmp/.X11-unix/X" + number
	for _, name := range []string{socket, "@" + socket} {
		if c, err := net.Dial("unix", name); err == nil {
			return func() { c.Close() }, nil
		}
	}
	return nil, fmt.Errorf("%w: nothing answers at DISPLAY = %s", ErrNoDisplay, display)
}
