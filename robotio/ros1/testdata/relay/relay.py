# A rospy node that relays every type among the generated modules below a folder: relay.py FOLDER TYPE…; see relay.cpp.
import importlib.util, os, sys
import rospy

def module(folder, package, kind, name):
    """Loads one generated module by its file, whatever Debian has under that name."""
    path = os.path.join(folder, package, kind, '_%s.py' % name)
    spec = importlib.util.spec_from_file_location('generated_%s_%s_%s' % (package, kind, name), path)
    m = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(m)
    return m

rospy.init_node('py')
folder = sys.argv[1]
sys.path.append(folder)  # for the types that Debian does not have
for full in rospy.myargv()[2:]:
    package, name = full.split('/')
    if os.path.exists(os.path.join(folder, package, 'srv', '_%s.py' % name)):
        cls = getattr(module(folder, package, 'srv', name), name)
        def serve(request, ask=rospy.ServiceProxy('/go/' + full, cls)): return ask.call(request)
        rospy.Service('/py/' + full, cls, serve)
    else:
        cls = getattr(module(folder, package, 'msg', name), name)
        pub = rospy.Publisher('/py/' + full, cls, queue_size=10)
        rospy.Subscriber('/in/' + full, cls, pub.publish)
print('ready', flush=True)
rospy.spin()
