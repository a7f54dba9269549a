// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Dumps in debugfs
 *
 * The kernel keeps one device coredump of a card, until a process has read it or five minutes have
 * passed. Later errors would leave no dump. So the folder nvfifo_dumps in debugfs also keeps the
 * last dumps, until the driver is unbound.
 *
 * A user with many errors cannot evict the dumps of others: the driver frees the oldest dump of the
 * user with the most dumps.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nvfifo_drv.h"
#include "nvfifo_kept.h"

#define KEPT		16
#define KEPT_BYTES	SZ_4M	/* of all texts */

/**
 * struct kept - A dump
 * @link: in nvfifo_kept_state.list
 * @user: owner of the channel, for comparison only
 * @file: in debugfs
 * @text: the dump
 * @len: bytes of @text
 */
struct kept {
	struct list_head link;
	const void *user;
	struct dentry *file;
	char *text;
	size_t len;
};

static ssize_t kept_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	const struct kept *kept = file->private_data;

	return simple_read_from_buffer(buf, len, pos, kept->text, kept->len);
}

static const struct file_operations kept_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = kept_read,
	.llseek = default_llseek,
};

/* Free a dump. Waits for readers of its file. */
static void kept_free(struct nvfifo_device *ndev, struct kept *kept)
{
	lockdep_assert_held(&ndev->kept.lock);
	if (ndev->kept.dir)
		debugfs_remove(kept->file);
	list_del(&kept->link);
	ndev->kept.count--;
	ndev->kept.bytes -= kept->len;
	kvfree(kept->text);
	kfree(kept);
}

static unsigned int kept_of(struct nvfifo_device *ndev, const void *user)
{
	struct kept *kept;
	unsigned int n = 0;

	list_for_each_entry(kept, &ndev->kept.list, link)
		n += kept->user == user;

	return n;
}

/* Find the oldest dump of the user with the most dumps */
static struct kept *kept_victim(struct nvfifo_device *ndev)
{
	struct kept *kept, *victim = NULL;
	unsigned int n, most = 0;

	list_for_each_entry(kept, &ndev->kept.list, link) {
		n = kept_of(ndev, kept->user);
		if (n > most) {
			most = n;
			victim = kept;
		}
	}

	return victim;
}

/**
 * nvfifo_kept_add() - Keep a copy of a dump
 * @ndev: the device
 * @user: owner of the channel, see nvfifo_quota_user()
 * @text: the dump
 * @len: bytes of @text, at least 1
 *
 * Without a folder in debugfs, or without memory, nothing is kept.
 *
 * Context: Process context, sleeps until readers of older dumps have ended.
 */
void nvfifo_kept_add(struct nvfifo_device *ndev, const void *user, const char *text, size_t len)
{
	struct nvfifo_kept_state *state = &ndev->kept;
	struct kept *kept;
	char name[16];

	guard(mutex)(&state->lock);
	if (!state->dir)
		return;

	kept = kzalloc(sizeof(*kept), GFP_KERNEL);
	if (!kept)
		return;

	kept->text = kvmalloc(len, GFP_KERNEL | __GFP_NOWARN);
	if (!kept->text) {
		kfree(kept);
		return;
	}

	while (state->count && (state->count >= KEPT || state->bytes + len > KEPT_BYTES))
		kept_free(ndev, kept_victim(ndev));

	memcpy(kept->text, text, len);
	kept->len = len;
	kept->user = user;
	list_add_tail(&kept->link, &state->list);
	state->count++;
	state->bytes += len;
	snprintf(name, sizeof(name), "%u", ++state->number);
	kept->file = debugfs_create_file(name, 0400, state->dir, kept, &kept_fops);
}

/**
 * nvfifo_kept_prepare() - Make lock and list, before the card is touched
 * @ndev: the device
 */
void nvfifo_kept_prepare(struct nvfifo_device *ndev)
{
	mutex_init(&ndev->kept.lock);
	INIT_LIST_HEAD(&ndev->kept.list);
}

/**
 * nvfifo_kept_files_init() - Keep dumps from now on
 * @ndev: the device
 * @root: its folder in debugfs
 */
void nvfifo_kept_files_init(struct nvfifo_device *ndev, struct dentry *root)
{
	struct dentry *dir = debugfs_create_dir("nvfifo_dumps", root);

	/* Without debugfs no process could read a dump, so keep none. */
	if (IS_ERR(dir))
		return;

	guard(mutex)(&ndev->kept.lock);
	ndev->kept.dir = dir;
}

/**
 * nvfifo_kept_fini() - Remove the folder, free the dumps, and keep none from now on
 * @ndev: the device
 *
 * Context: Process context, sleeps until all readers have ended.
 */
void nvfifo_kept_fini(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->kept.lock);
	debugfs_remove(ndev->kept.dir);
	ndev->kept.dir = NULL;
	while (ndev->kept.count)
		kept_free(ndev, kept_victim(ndev));
}
