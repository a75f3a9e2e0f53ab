package gl

/*
#cgo LDFLAGS: -lEGL
#include <stdlib.h>
#include <string.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>

// display returns an initialised display of a platform, or none.
static EGLDisplay display(EGLenum platform, void *of) {
	PFNEGLGETPLATFORMDISPLAYEXTPROC get =
		(PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	if (!get) return EGL_NO_DISPLAY;
	EGLDisplay d = get(platform, of, NULL);
	if (d == EGL_NO_DISPLAY || !eglInitialize(d, NULL, NULL)) return EGL_NO_DISPLAY;
	return d;
}

static EGLDisplay surfaceless(void) { return display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY); }
static EGLDisplay ofDevice(EGLDeviceEXT d) { return display(EGL_PLATFORM_DEVICE_EXT, d); }

// devices lists EGL's devices and returns how many there are, at most n; −1 if EGL cannot tell.
static int devices(EGLDeviceEXT *list, int n) {
	PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
	EGLint found = 0;
	if (!query || !query(n, list, &found)) return -1;
	return found;
}

// softwareDevice reports whether a device is a program on the CPU.
static int softwareDevice(EGLDeviceEXT d) {
	PFNEGLQUERYDEVICESTRINGEXTPROC query = (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
	const char *extensions = query ? query(d, EGL_EXTENSIONS) : NULL;
	return extensions && strstr(extensions, "EGL_MESA_device_software");
}

// context makes an OpenGL 4.1 core context and makes it current on this thread, without a surface.
static EGLContext context(EGLDisplay d) {
	static const EGLint want[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
	static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 1,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
	EGLConfig config;
	EGLint n = 0;
	if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(d, want, &config, 1, &n) || n < 1) return EGL_NO_CONTEXT;
	EGLContext c = eglCreateContext(d, config, EGL_NO_CONTEXT, version);
	if (c == EGL_NO_CONTEXT) return EGL_NO_CONTEXT;
	if (!eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c)) {
		eglDestroyContext(d, c);
		return EGL_NO_CONTEXT;
	}
	return c;
}

static void destroy(EGLDisplay d, EGLContext c) {
	eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(d, c);
	eglReleaseThread();
}

static void *address(char *name) { return (void *)eglGetProcAddress(name); }
*/
import "C"

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// context is an OpenGL context that is current on the thread that created it.
type context struct {
	display C.EGLDisplay
	handle  C.EGLContext
}

// functions guards go-gl's global table of function pointers.
var functions struct {
	sync.Mutex
	loaded bool
}

// newContext creates a context that is current on the calling thread, which must be locked. It prefers a graphics card.
func newContext() (*context, error) {
	cards, others, _ := devices()
	displays := []func() C.EGLDisplay{func() C.EGLDisplay { return C.surfaceless() }} // Mesa's, which needs no device
	for _, d := range others {
		displays = append(displays, func() C.EGLDisplay { return C.ofDevice(d) })
	}
	for _, d := range slices.Backward(cards) {
		displays = slices.Insert(displays, 0, func() C.EGLDisplay { return C.ofDevice(d) })
	}
	for _, display := range displays {
		// Displays are shared by the whole process and stay initialised.
		d := display()
		if d == noDisplay {
			continue
		}
		h := C.context(d)
		if h == nil {
			continue
		}
		c := &context{display: d, handle: h}
		if err := loadFunctions(); err != nil {
			c.destroy()
			return nil, fmt.Errorf("render/gl: %w: the driver lacks a function of OpenGL 4.1: %v", render.ErrNoContext,
				err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("render/gl: %w: EGL offers no OpenGL 4.1 core without a display; on Debian install "+
		"libegl1 and libgl1-mesa-dri, or draw without it (--renderer tile)", render.ErrNoContext)
}

// devices lists EGL's devices: graphics cards, and others. ok is false if EGL cannot list them.
func devices() (cards, others []C.EGLDeviceEXT, ok bool) {
	var list [16]C.EGLDeviceEXT
	n := C.devices(&list[0], C.int(len(list)))
	for _, d := range list[:max(n, 0)] {
		if C.softwareDevice(d) != 0 {
			others = append(others, d)
		} else {
			cards = append(cards, d)
		}
	}
	return cards, others, n >= 0
}

// noDisplay is EGL_NO_DISPLAY: cgo sees an EGLDisplay as an integer.
const noDisplay = 0

func (c *context) destroy() { C.destroy(c.display, c.handle) }

func loadFunctions() error {
	functions.Lock()
	defer functions.Unlock()
	if functions.loaded {
		return nil
	}
	err := gl.InitWithProcAddrFunc(func(name string) unsafe.Pointer {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		return C.address(s)
	})
	functions.loaded = err == nil
	return err
}
